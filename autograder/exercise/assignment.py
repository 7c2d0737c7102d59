"""What students hand in as one folder: an exercise, or several that lie in the folder of an `assignment.toml`.

    week-1/assignment.toml           title = "Week 1"
    week-1/layers/exercise.toml      an exercise as any other, which makes the notebook layers.ipynb
    week-1/training/exercise.toml

An exercise is built, proven and graded by itself. Here is what is common to those of one folder.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autograder.errors import ExerciseError
from autograder.exercise.build import build
from autograder.exercise.built import SeededExercise, SeveralExercises, all_of, version_of
from autograder.exercise.definition import (
    ASSIGNMENT_FILE,
    EXERCISE_FILE,
    Exercise,
    exercise_names,
    load_exercise,
    parsed,
    read_toml,
)

_NAME = re.compile("[A-Za-z0-9][A-Za-z0-9_-]*")  # the name of a module is made of it, too


class _AssignmentFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str


@dataclass(frozen=True)
class AssignmentFolder:
    """The exercises of an assignment, sorted by their notebooks' names, as nbgrader has them."""

    slug: str
    title: str
    exercises: tuple[Exercise, ...]

    @property
    def notebooks(self) -> tuple[str, ...]:
        """The names of those that are handed in."""
        return tuple(one.notebook for one in self.exercises)

    @property
    def points(self) -> float:
        """What all of it is worth."""
        return sum(one.points for one in self.exercises)

    @property
    def is_of_several(self) -> bool:
        """Whether there is an `assignment.toml`, if only of one exercise so far."""
        return self.exercises[0].is_one_of_several

    @property
    def version(self) -> str:
        """A digest of all that can change a report. Errors: as of `Exercise.version`."""
        return version_of(self.exercises) if self.is_of_several else self.exercises[0].version

    @property
    def packages(self) -> tuple[str, ...]:
        """What any of them counts on."""
        return all_of(one.packages for one in self.exercises)

    def exercise(self, notebook: str) -> Exercise:
        """The one of that notebook. Errors: ExerciseError where there is none."""
        if notebook not in self.notebooks:
            raise ExerciseError(f"`{self.slug}` has no notebook `{notebook}` (there are: {', '.join(self.notebooks)})")
        return self.exercises[self.notebooks.index(notebook)]


def assignment_names(exercises: Path) -> list[str]:
    """The slugs of every assignment that has exercise folders, sorted."""
    return sorted({slug.partition("/")[0] for slug in exercise_names(exercises)})


def load_assignment_folder(slug: str, exercises: Path) -> AssignmentFolder:
    """The assignment `slug` of the folder `exercises`.

    Errors: ExerciseError where there is none, an exercise is broken, or two of them cannot lie in one folder.
    """
    path = exercises / slug / ASSIGNMENT_FILE
    if slug not in assignment_names(exercises) or not path.is_file():
        one = load_exercise(slug, exercises)
        if one.is_one_of_several:
            raise ExerciseError(f"`{slug}` is one notebook of the assignment `{one.assignment}`; name that")
        return AssignmentFolder(one.slug, one.title, (one,))
    title = parsed(path, read_toml(path), _AssignmentFile).title
    if (path.parent / EXERCISE_FILE).exists():
        raise ExerciseError(f"{path.parent} has an {EXERCISE_FILE} and an {ASSIGNMENT_FILE}; it is one or the other")
    found = tuple(Exercise(exercises / name) for name in exercise_names(exercises) if name.startswith(f"{slug}/"))
    if faults := list(_unfit(found)):
        raise ExerciseError("\n".join(f"{path.parent}: {fault}" for fault in faults))
    return AssignmentFolder(slug, title, found)


def seeded(folder: AssignmentFolder, seed: int) -> SeededExercise | SeveralExercises:
    """The assignment, built. Errors: ExerciseError."""
    exercises = tuple(SeededExercise(build(one), seed) for one in folder.exercises)
    return SeveralExercises(exercises) if folder.is_of_several else exercises[0]


def _unfit(exercises: tuple[Exercise, ...]) -> Iterator[str]:
    """What keeps their notebooks and files from lying beside each other."""
    yield from (
        f"`{one.notebook}` is no good name for a notebook and a module; use ASCII letters, digits, - and _"
        for one in exercises
        if not _NAME.fullmatch(one.notebook)
    )
    checks = Counter(one.checks_module.casefold() for one in exercises)
    yield from (f"two notebooks have the checks `{name}.py`; rename one" for name, count in checks.items() if count > 1)
    lying = Counter(name.casefold() for one in exercises for name in (*one.files, *one.submit))
    for one in exercises:
        for name in one.submit:
            if lying[name.casefold()] > 1:
                yield f"students write {name} for `{one.notebook}`; another exercise gives or asks for it, too"
    versions = defaultdict(set)
    for one in exercises:
        for name, digest in one.given_digests.items():
            versions[name.casefold()].add((name, digest))
    for name, different in versions.items():
        if len(different) > 1:
            yield f"the file {name} is another one in each of two exercises; students would get one of them"
