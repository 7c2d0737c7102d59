"""What is built from an exercise folder, by `build`; graders need nothing else of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.exercise.definition import Exercise
from autograder.exercise.modules import modules_in, without_modules


@dataclass(frozen=True)
class Built:
    """What is built from one exercise folder. sealed: the questions of known mistakes, which end `checks.py`."""

    exercise: Exercise
    reference: NotebookNode
    release: NotebookNode
    checks: str
    sealed: str

    @property
    def checks_file(self) -> str:
        """The whole text of `checks.py`."""
        return f"{self.checks}{self.sealed}"

    @property
    def working_files(self) -> dict[str, bytes]:
        """What lies beside the notebook for students and where it is graded, by name."""
        return {f"{self.exercise.checks_module}.py": self.checks_file.encode(), **self.exercise.given_files}

    @property
    def expected_files(self) -> tuple[str, ...]:
        """The names of all that students have beside the notebook when they hand in."""
        return (*self.working_files, *self.exercise.submit)

    def files(self, solutions: Path, assignments: Path) -> dict[Path, bytes]:
        """Every built file and its content."""
        slug, file = self.exercise.assignment, f"{self.exercise.notebook}.ipynb"
        notebooks = {solutions / slug: self.reference, assignments / slug: self.release}
        # nbgrader copies what lies in `solutions` to students, so modules are there as they are released.
        modules = {name: text.encode() for name, text in modules_in(self.release).items()}
        return {
            folder / name: content
            for folder, notebook in notebooks.items()
            for name, content in {file: _written(notebook), **self.working_files, **modules}.items()
        }


def _written(notebook: NotebookNode) -> bytes:
    return f"{nbformat.writes(without_modules(notebook))}\n".encode()


@dataclass(frozen=True)
class SeededExercise:
    """What submissions are graded by: an exercise, and the seed of its hidden tests' random inputs.

    Its properties and methods are those that every kind of assignment has.
    """

    built: Built
    seed: int

    @property
    def slug(self) -> str:
        """Its name."""
        return self.built.exercise.slug

    @property
    def version(self) -> str:
        """A digest of all that can change a report."""
        return self.built.exercise.version

    @property
    def notebooks(self) -> tuple[str, ...]:
        """The names of those that are handed in."""
        return (self.built.exercise.notebook,)

    @property
    def exercises(self) -> tuple[SeededExercise, ...]:
        """Those that its notebooks are graded by, in their order."""
        return (self,)

    @property
    def folder(self) -> Path:
        """What an evaluation reads of this machine's files."""
        return self.built.exercise.folder

    @property
    def packages(self) -> tuple[str, ...]:
        """What the student's process has imported beforehand."""
        return self.built.exercise.packages

    def used_files(self, files: Iterable[str]) -> tuple[str, ...]:
        """Which of the files that were handed in with the notebooks an evaluation uses."""
        return tuple(name for name in files if name in self.built.exercise.submit)

    def moved(self, folder: Path) -> SeededExercise:
        """The same with another folder, where another machine has it."""
        return replace(self, built=replace(self.built, exercise=Exercise(folder)))


@dataclass(frozen=True)
class SeveralExercises:
    """What submissions of several notebooks are graded by, each notebook by its own exercise; at least one.

    Its properties and methods are those that every kind of assignment has: see `SeededExercise`.
    """

    exercises: tuple[SeededExercise, ...]

    @property
    def slug(self) -> str:
        return self.exercises[0].built.exercise.assignment

    @property
    def version(self) -> str:
        return version_of(one.built.exercise for one in self.exercises)

    @property
    def seed(self) -> int:
        return self.exercises[0].seed

    @property
    def notebooks(self) -> tuple[str, ...]:
        return tuple(one.built.exercise.notebook for one in self.exercises)

    @property
    def folder(self) -> Path:
        return self.exercises[0].folder.parent

    @property
    def packages(self) -> tuple[str, ...]:
        return all_of(one.packages for one in self.exercises)

    def used_files(self, files: Iterable[str]) -> tuple[str, ...]:
        wanted = {name for one in self.exercises for name in one.built.exercise.submit}
        return tuple(name for name in files if name in wanted)

    def moved(self, folder: Path) -> SeveralExercises:
        moved = (one.moved(folder / one.built.exercise.notebook) for one in self.exercises)
        return SeveralExercises(tuple(moved))


def version_of(exercises: Iterable[Exercise]) -> str:
    """A digest of all that can change a report on an assignment of several notebooks."""
    return hashlib.sha256(repr([(one.slug, one.version) for one in exercises]).encode()).hexdigest()[:16]


def all_of(packages: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Each of the packages once, of several exercises."""
    return tuple(dict.fromkeys(name for some in packages for name in some))
