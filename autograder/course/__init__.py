"""A course's folder, and nbgrader."""
