"""An exercise folder, read: what its tasks are, what they are worth and what the code may use.

`exercise.toml` is the only place where points, hints and limits are written. Its format is the three structures
below, one field a key; an unknown or ill-typed key is refused by name.
"""

from __future__ import annotations

import hashlib
import math
import re
from functools import cached_property
from pathlib import Path

import msgspec

from autograder.errors import ExerciseError

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,49}")  # cell ids are made of it


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a submission's process may use. Times are seconds, sizes MiB.

    CPU time decides, since it does not depend on what else the machine does; the wall-clock limits only end what
    waits without computing.
    """

    cpu_seconds: float = 10  # one notebook cell, or one call from a hidden test
    wall_seconds: float = 60  # the same, by the clock
    total_cpu_seconds: float = 180  # the whole submission
    total_wall_seconds: float = 600  # the same, by the clock
    memory: int = 2048  # on top of what the warm process holds
    disk: int = 64
    output: int = 1  # text and figures of one cell
    total_output: int = 8  # of all cells together
    restarts: int = 12  # new processes after crashes and time-outs

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"limit `{name}` is negative or no number")


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A graded unit: one or a few solution cells and one grade cell, or a free-text answer graded by hand.

    carried: the share of a test's weight that counts where it passes with right functions of the tasks that this one
    needs; the course's by default.
    """

    title: str
    points: float
    hint: str = ""
    functions: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()  # that the task's functions take; its hidden tests must hand over each
    by_hand: bool = False
    carried: float | None = None


class _ExerciseFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    tasks: dict[str, Task]
    framework: str = "numpy"
    limits: Limits = Limits()


class Exercise:
    """The folder `exercises/<slug>/`.

    Errors: ExerciseError where the folder or its `exercise.toml` is missing, ill-formed or inconsistent.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.slug = folder.name
        file = _read(folder / "exercise.toml")
        self.title = file.title
        self.framework = file.framework
        self.limits = file.limits
        self.tasks = file.tasks
        _check(self)

    @property
    def automatic(self) -> dict[str, Task]:
        """The tasks that the hidden suite grades."""
        return {name: task for name, task in self.tasks.items() if not task.by_hand}

    @property
    def points(self) -> float:
        """What all tasks are worth, those that are graded by hand too."""
        return sum(task.points for task in self.tasks.values())

    @property
    def notebook_source(self) -> Path:
        """The notebook with its solutions, as text."""
        return self.folder / "notebook.py"

    @property
    def public_suite(self) -> Path:
        """The tests that students get."""
        return self.folder / "test_public.py"

    @property
    def hidden_suite(self) -> Path:
        """The tests that nobody else may read."""
        return self.folder / "test_hidden.py"

    @cached_property
    def version(self) -> str:
        """A digest of everything in the folder that can change a report."""
        files = (self.folder / "exercise.toml", self.notebook_source, self.public_suite, self.hidden_suite)
        digest = hashlib.sha256()
        for file in (*files, *sorted((self.folder / "wrong").glob("*.py"))):
            digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()[:16]


def _read(path: Path) -> _ExerciseFile:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=_ExerciseFile)
    except FileNotFoundError:
        raise ExerciseError(f"there is no exercise in {path.parent}: {path.name} is missing") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise ExerciseError(f"{path}: {error}") from None


def _check(exercise: Exercise) -> None:
    where = exercise.folder / "exercise.toml"
    if exercise.framework not in ("numpy", "torch"):
        raise ExerciseError(f'{where}: framework must be "numpy" or "torch", not "{exercise.framework}"')
    earlier: set[str] = set()
    for name, task in exercise.tasks.items():
        if not _NAME.fullmatch(name):
            raise ExerciseError(f"{where}: task name `{name}` is not an ASCII identifier of at most 50 characters")
        if not 0 < task.points < math.inf:
            raise ExerciseError(f"{where}: task `{name}` must be worth more than 0 points")
        if task.carried is not None and not 0 <= task.carried <= 1:
            raise ExerciseError(f"{where}: task `{name}` can carry a share from 0 to 1, not {task.carried:g}")
        if bool(task.functions) == task.by_hand:
            raise ExerciseError(f"{where}: task `{name}` needs either functions or by_hand = true")
        unknown = [needed for needed in task.needs if needed not in earlier]
        if unknown:
            raise ExerciseError(f"{where}: task `{name}` needs `{unknown[0]}`, which is no automatic task before it")
        earlier |= set() if task.by_hand else {name}


def load_exercise(slug: str, exercises: Path) -> Exercise:
    """The exercise `slug` of the folder `exercises`.

    Errors: ExerciseError that names the exercises there are.
    """
    if slug not in (names := exercise_names(exercises)):
        known = ", ".join(names) or "none"
        raise ExerciseError(f"there is no exercise `{slug}` in {exercises} (there are: {known})")
    return Exercise(exercises / slug)


def exercise_names(exercises: Path) -> list[str]:
    """The slugs of every exercise folder, sorted."""
    return sorted(path.parent.name for path in exercises.glob("*/exercise.toml"))


def read_text(path: Path) -> str:
    """The text of a file of an exercise folder. Errors: ExerciseError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ExerciseError(f"{path} cannot be read: {error}") from None
