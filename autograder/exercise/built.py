"""What is built from an exercise folder, by `build`; graders need nothing else of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.exercise.definition import Exercise


@dataclass(frozen=True)
class Built:
    """What is built from one exercise folder."""

    exercise: Exercise
    reference: NotebookNode
    release: NotebookNode
    checks: str

    @property
    def working_files(self) -> dict[str, str]:
        """The texts that lie beside the notebook where it is graded, by name."""
        return {"checks.py": self.checks}

    def files(self, solutions: Path, assignments: Path) -> dict[Path, str]:
        """Every built file and its text."""
        slug = self.exercise.slug
        return {
            solutions / slug / f"{slug}.ipynb": nbformat.writes(self.reference) + "\n",
            solutions / slug / "checks.py": self.checks,
            assignments / slug / f"{slug}.ipynb": nbformat.writes(self.release) + "\n",
            assignments / slug / "checks.py": self.checks,
        }


@dataclass(frozen=True)
class SeededExercise:
    """What submissions are graded by: an exercise, and the seed of its hidden tests' random inputs."""

    built: Built
    seed: int
