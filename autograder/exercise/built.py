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
    def working_files(self) -> dict[str, bytes]:
        """What lies beside the notebook for students and where it is graded, by name."""
        return {"checks.py": self.checks.encode(), **self.exercise.given_files}

    def files(self, solutions: Path, assignments: Path) -> dict[Path, bytes]:
        """Every built file and its content."""
        slug = self.exercise.slug
        notebooks = {solutions / slug: self.reference, assignments / slug: self.release}
        return {
            folder / name: content
            for folder, notebook in notebooks.items()
            for name, content in {f"{slug}.ipynb": _written(notebook), **self.working_files}.items()
        }


def _written(notebook: NotebookNode) -> bytes:
    return f"{nbformat.writes(notebook)}\n".encode()


@dataclass(frozen=True)
class SeededExercise:
    """What submissions are graded by: an exercise, and the seed of its hidden tests' random inputs."""

    built: Built
    seed: int
