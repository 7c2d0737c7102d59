"""An exercise folder, and what is built from it."""
