"""Where the repository's own folders are."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
EXERCISES = REPOSITORY / "autograder" / "exercises"
