"""Many submissions, side by side."""
