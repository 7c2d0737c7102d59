"""The way over from plain nbgrader assignments: an exercise folder is made from a source notebook."""
