"""What a course has to grade: exercises of this package and plain assignments of nbgrader, told apart here."""

from __future__ import annotations

from collections.abc import Collection

from autograder.course.course import Course
from autograder.course.gradebook import register
from autograder.course.plain import WARMED, is_plain, load_plain
from autograder.errors import ConfigError
from autograder.exercise.build import require_fresh
from autograder.exercise.built import SeveralExercises
from autograder.grading.evaluate import Assignment
from autograder.grading.mistake_cache import forget_other_mistakes


def require_assignment(course: Course, slug: str) -> tuple[str, ...]:
    """The packages that it may hang on. Errors: ExerciseError where there is none of this name."""
    return WARMED if is_plain(course, slug) else course.assignment_folder(slug).packages


def load_assignment(course: Course, slug: str) -> Assignment:
    """The assignment `slug`, ready for submissions to be graded by it.

    Errors: ConfigError, ExerciseError where it cannot be read; OtherLanguageError where it is no Python.
    """
    if is_plain(course, slug):
        return load_plain(course, slug)
    return course.assignment(slug)


def make_ready(course: Course, assignment: Assignment) -> None:
    """Errors: ConfigError where what students have been given is not what the assignment says now."""
    if isinstance(assignment, SeveralExercises):
        require_no_others(course, assignment.slug, assignment.notebooks)
    for one in assignment.exercises:
        require_fresh(one.built, course.solutions, course.assignments)


def require_no_others(course: Course, slug: str, notebooks: Collection[str]) -> None:
    """Errors: ConfigError where a notebook lies beside those of an assignment, as after one was renamed: nbgrader takes
    it for one of them, and students get it.
    """
    for folder in (course.solutions / slug, course.assignments / slug):
        if others := sorted(path for path in folder.glob("*.ipynb") if path.stem not in notebooks):
            raise ConfigError(f"{others[0]} is of no exercise of `{slug}`; delete it, with what was built with it")


def enter(course: Course, assignment: Assignment, students: Collection[str]) -> None:
    """Let the gradebook have the cells and points of today; of a plain assignment, those of its release are there.

    students, errors: as in `register`.
    """
    if follows_an_exercise(assignment):
        register(course, assignment.slug, students=students)


def follows_an_exercise(assignment: Assignment) -> bool:
    """Whether the gradebook has its cells and points from an exercise folder, as that is today."""
    return bool(assignment.exercises)


def forget_what_is_gone(course: Course, assignment: Assignment) -> None:
    """What was kept of the assignment and not of students. Errors: OSError."""
    for one in assignment.exercises:
        forget_other_mistakes(course.root, one)
