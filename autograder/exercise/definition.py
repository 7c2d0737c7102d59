"""An exercise folder, read: what its tasks are, what they are worth and what the code may use.

`exercise.toml` is the only place where points, hints and limits are written. Its format is the three structures
below, one field a key; all that is not as they say is refused at once, by name and line.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder.errors import ExerciseError
from autograder.exercise.format import Fault, faults, line_of
from autograder.exercise.given_files import read_given_files, unfit_modules, unfit_names
from autograder.exercise.packages import FRAMEWORKS, all_packages, unfit_packages
from autograder.exercise.spelling import did_you_mean

_QUESTIONS = ("choice", "choices", "number", "text")
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,49}")  # cell ids are made of it
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")

EXERCISE_FILE = "exercise.toml"
ASSIGNMENT_FILE = "assignment.toml"  # in a folder of exercises that are handed in together
_FILES_OF_A_FOLDER = (EXERCISE_FILE, ASSIGNMENT_FILE)


Form = TypeVar("Form", bound=msgspec.Struct)


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


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the answer that a task's one variable holds is judged; the right one is what the reference has there.

    kind: "choice", "choices", "number" or "text". options: what may be chosen. rtol, atol: how far a number may be off,
    relative and absolute. pattern: the regular expression that a right text matches from end to end.
    """

    kind: str
    options: tuple[str, ...] = ()
    rtol: float = 1e-6
    atol: float = 0.0
    pattern: str = ""


class RubricItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What earns points in an answer that a person grades, in a sentence."""

    points: float
    text: str


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A graded unit: one or a few solution cells and one grade cell, or one cell, text or code, graded by hand.

    functions: the functions and classes that its tests use. variables: names whose values at the grade cell they look
    at. carried: the share of a test's weight that counts where it passes with right functions of the tasks that this
    one needs; the course's by default. not_allowed: dotted names of libraries, as "numpy.gradient", that its code may
    not use; instead: what a student who does is told to do. beyond: what hidden
    tests try and public ones do not, told where these pass.
    """

    title: str
    points: float
    hint: str = ""
    beyond: str = ""
    functions: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()  # that the task's functions take; its hidden tests must hand over each
    question: Question | None = None  # then no hidden test need be written
    by_hand: bool = False
    rubric: tuple[RubricItem, ...] = ()  # of a task graded by hand; its points add up to the task's
    carried: float | None = None
    not_allowed: tuple[str, ...] = ()
    instead: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All that its solution cells must define."""
        return (*self.functions, *self.variables)


class _ExerciseFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    tasks: dict[str, Task]
    framework: str = "numpy"
    packages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    submit: tuple[str, ...] = ()
    limits: Limits = Limits()


class Exercise:
    """The folder `exercises/<slug>/`, of one notebook. slug: its name, or `assignment/notebook` where its assignment
    has several.

    Errors: ExerciseError where the folder or its `exercise.toml` is missing, ill-formed or inconsistent.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder = folder.absolute()
        self.notebook = folder.name
        self.is_one_of_several = _is_of_several(folder)
        self.assignment = folder.parent.name if self.is_one_of_several else folder.name
        self.slug = f"{self.assignment}/{self.notebook}" if self.is_one_of_several else self.notebook
        text = read_toml(folder / EXERCISE_FILE)
        file = parsed(folder / EXERCISE_FILE, text, _ExerciseFile)
        self.title = file.title
        self.packages = all_packages(file.framework, file.packages)
        self.files = file.files
        self.submit = file.submit
        self.limits = file.limits
        self.tasks = file.tasks
        self.named_packages = file.packages
        _refuse([*_odd_packages(file), *_inconsistencies(self)], folder / EXERCISE_FILE, text)

    @property
    def framework(self) -> str:
        """Which of the two its values are of."""
        return "torch" if "torch" in self.packages else "numpy"

    @property
    def automatic(self) -> dict[str, Task]:
        """The tasks that the hidden suite grades."""
        return {name: task for name, task in self.tasks.items() if not task.by_hand}

    @property
    def variables(self) -> dict[str, tuple[str, ...]]:
        """The names whose values tasks ask for, by task."""
        return {name: task.variables for name, task in self.tasks.items() if task.variables}

    @property
    def not_allowed(self) -> frozenset[str]:
        """What some task does not allow."""
        return frozenset(name for task in self.tasks.values() for name in task.not_allowed)

    def names_of_others(self, task: str) -> frozenset[str]:
        """What other tasks ask for, and this one does not."""
        return frozenset(name for one in self.tasks.values() for name in one.names) - {*self.tasks[task].names}

    def all_needs(self, task: str) -> frozenset[str]:
        """The tasks that a task builds on, directly or not."""
        needed = self.tasks[task].needs
        return frozenset(needed).union(*map(self.all_needs, needed))

    @property
    def points(self) -> float:
        """What all tasks are worth, those that are graded by hand too."""
        return sum(task.points for task in self.tasks.values())

    @property
    def checks_module(self) -> str:
        """The module that its notebook imports `check` from. Notebooks of one folder have one each."""
        return f"checks_{self.notebook.replace('-', '_')}" if self.is_one_of_several else "checks"

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

    @property
    def module_sources(self) -> list[Path]:
        """The modules that students write, with their solutions, as text; each may import those before it."""
        return [self.folder / name for name in self.submit]

    @cached_property
    def given_files(self) -> dict[str, bytes]:
        """The contents of the files that students get beside the notebook, by name.

        Errors: ExerciseError where one cannot be read, or all of them are too large.
        """
        return read_given_files(self.folder, self.files)

    @cached_property
    def given_digests(self) -> dict[str, str]:
        """Of their contents, by name, as `tree` makes them. Errors: the same."""
        return {name: hashlib.sha256(content).hexdigest() for name, content in self.given_files.items()}

    @cached_property
    def version(self) -> str:
        """A digest of everything in the folder that can change a report. Errors: as of `given_files`."""
        files = (self.folder / EXERCISE_FILE, self.notebook_source, self.public_suite, self.hidden_suite)
        digest = hashlib.sha256()
        for file in (*files, *self.module_sources, *sorted((self.folder / "wrong").glob("*.py"))):
            digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
        for name, given in self.given_digests.items():
            digest.update(f"{name} {given}".encode())
        return digest.hexdigest()[:16]


def read_toml(path: Path) -> str:
    """The text of the file that makes a folder an exercise, or several. Errors: ExerciseError."""
    if not path.exists():
        raise ExerciseError(f"there is no exercise in {path.parent}: {path.name} is missing")
    return read_text(path)


def parsed(path: Path, text: str, form: type[Form]) -> Form:
    """Such a text as the structure of its format. Errors: ExerciseError, with all that is wrong."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExerciseError(f"{path}: this is no TOML: {error}") from None
    _refuse(list(faults(data, form, path.name)), path, text)
    try:
        return msgspec.convert(data, form)
    except msgspec.ValidationError as error:
        raise ExerciseError(f"{path}: {str(error).partition(' - at ')[0]}") from None


def _refuse(found: list[Fault], path: Path, text: str) -> None:
    if found:
        lines = [(line_of(keys, text), sentence) for keys, sentence in found]
        raise ExerciseError("\n".join(f"{path}{f', line {line}' if line else ''}: {told}" for line, told in lines))


def _odd_packages(file: _ExerciseFile) -> Iterator[Fault]:
    if file.framework not in FRAMEWORKS:
        yield ("framework",), f'framework must be "numpy" or "torch", not "{file.framework}"'
    yield from ((("packages",), f"`packages` {told}") for told in unfit_packages(file.packages))


def _inconsistencies(exercise: Exercise) -> Iterator[Fault]:
    yield from ((("files",), f"`files` {told}") for told in unfit_names(exercise.files, exercise.packages))
    modules = list(unfit_modules(exercise.submit, exercise.files, exercise.packages))
    yield from ((("submit",), f"`submit` {told}") for told in modules)
    for name in exercise.submit if not modules else ():
        if not (exercise.folder / name).is_file():
            found = next(
                (path for kind in ("wrong", "right") if (path := exercise.folder / kind / name).is_file()), None
            )
            meant = f"move {found} there" if found else "write it, or leave it out of `submit`"
            yield ("submit",), f"`submit` names {name}, which does not lie beside {EXERCISE_FILE}; {meant}"
    earlier: list[str] = []
    for name, task in exercise.tasks.items():
        if not _NAME.fullmatch(name):
            yield ("tasks", name), f"task name `{name}` is not an ASCII identifier of at most 50 characters"
        yield from ((("tasks", name, key), f"task `{name}` {told}") for key, told in _contradictions(task, earlier))
        if not task.by_hand:
            earlier.append(name)


def _contradictions(task: Task, earlier: list[str]) -> Iterator[tuple[str, str]]:
    """What cannot be of a task after these automatic ones, with its key."""
    if not 0 < task.points < math.inf:
        yield "points", "must be worth more than 0 points"
    if task.carried is not None and not 0 <= task.carried <= 1:
        yield "carried", f"can carry a share from 0 to 1, not {task.carried:g}"
    if bool(task.names) == task.by_hand:
        yield "functions", "needs either functions or variables, or by_hand = true"
    if task.rubric:
        yield from _unfit(task, task.rubric)
    if task.question:
        yield from _unanswerable(task, task.question)
    yield from _odd_rules(task)
    for needed in task.needs:
        if needed not in earlier:
            yield "needs", f"needs `{needed}`, which is no automatic task before it{did_you_mean(needed, earlier)}"


def _unfit(task: Task, rubric: tuple[RubricItem, ...]) -> Iterator[tuple[str, str]]:
    if not task.by_hand:
        yield "rubric", "has a rubric, which is for tasks with by_hand = true"
    if not all(item.points > 0 and item.text.strip() for item in rubric):
        yield "rubric", "has a rubric in which an item is without points or without words"
    if not math.isclose(total := sum(item.points for item in rubric), task.points):
        yield "rubric", f"has a rubric of {total:g} points, but is worth {task.points:g}"


def _odd_rules(task: Task) -> Iterator[tuple[str, str]]:
    for name in task.not_allowed:
        if not _DOTTED.fullmatch(name):
            yield "not_allowed", f"does not allow `{name}`, which is no name of a library's, as `numpy.gradient` is"
    if task.by_hand and task.not_allowed:
        yield "not_allowed", "is graded by hand: what it does not allow is for that person to see"
    if task.instead and not task.not_allowed:
        yield "instead", "says what to do instead, but there is no `not_allowed`"


def _unanswerable(task: Task, question: Question) -> Iterator[tuple[str, str]]:
    if len(task.variables) != 1 or task.functions:
        yield "question", "is a question: it needs one variable, which holds the answer, and no functions"
    if question.kind not in _QUESTIONS:
        yield "question", f"asks for `{question.kind}`{did_you_mean(question.kind, _QUESTIONS)}"
    if question.kind in ("choice", "choices"):
        yield from _odd_options(question.options)
    if question.kind == "text" and not _is_pattern(question.pattern):
        yield "question", "needs a `pattern`, which a right answer matches from end to end"


def _odd_options(options: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    read = [option.strip().casefold() for option in options]
    doubled = [option for number, option in enumerate(options) if read[number] in read[:number]]
    if len({*read}) < 2:
        yield "question", "needs two different `options` at least"
    elif doubled or "" in read:
        told = f"offers {doubled[0]!r} twice; capital letters make no difference" if doubled else "has an empty option"
        yield "question", told


def _is_pattern(text: str) -> bool:
    try:
        return bool(text and re.compile(text))
    except re.error:
        return False


def load_exercise(slug: str, exercises: Path) -> Exercise:
    """The exercise `slug` of the folder `exercises`.

    Errors: ExerciseError that names the exercises there are.
    """
    if slug not in (names := exercise_names(exercises)):
        if (folder := slug.partition("/")[0]) in folders_without_assignment(exercises):
            raise ExerciseError(not_one_assignment(exercises / folder))
        known = ", ".join(names) or "none"
        raise ExerciseError(f"there is no exercise `{slug}` in {exercises} (there are: {known})")
    return Exercise(exercises / slug)


def exercise_names(exercises: Path) -> list[str]:
    """The slugs of every exercise folder, sorted."""
    found = [path.parent for path in exercises.glob(f"*/{EXERCISE_FILE}")]
    found += [path.parent for path in exercises.glob(f"*/*/{EXERCISE_FILE}") if _is_of_several(path.parent)]
    return sorted(str(folder.relative_to(exercises)) for folder in found)


def folders_without_assignment(exercises: Path) -> list[str]:
    """The names of folders that have exercises below them and are neither an assignment nor an exercise, sorted."""
    holding = {path.parent.parent for path in exercises.glob(f"*/*/{EXERCISE_FILE}")}
    return sorted(one.name for one in holding if not any((one / name).exists() for name in _FILES_OF_A_FOLDER))


def not_one_assignment(folder: Path) -> str:
    """What to do about such a folder."""
    path = folder / ASSIGNMENT_FILE
    return f'{path} is missing, so the exercises in {folder.name} are not built; write title = "..." into it'


def _is_of_several(folder: Path) -> bool:
    return (folder.parent / ASSIGNMENT_FILE).is_file()


def read_text(path: Path) -> str:
    """The text of a file of an exercise folder, without a byte order mark. Errors: ExerciseError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ExerciseError(f"{path}, line {line}: this is not UTF-8; save the file with that encoding") from None
    except FileNotFoundError:
        raise ExerciseError(f"{path} is missing; write it") from None
    except OSError as error:
        raise ExerciseError(f"{path} cannot be read: {error}") from None
