"""What a course has to grade: exercises of this package and plain assignments of nbgrader, told apart here."""

from __future__ import annotations

from autograder.course.course import Course
from autograder.course.gradebook import register
from autograder.course.plain import WARMED, is_plain, load_plain
from autograder.exercise.build import require_fresh
from autograder.exercise.built import SeededExercise
from autograder.grading.evaluate import Assignment
from autograder.grading.mistake_cache import forget_other_mistakes
from autograder.grading.plain import PlainAssignment


def require_assignment(course: Course, slug: str) -> tuple[str, ...]:
    """The packages that it may hang on. Errors: ExerciseError where there is none of this name; as `load_exercise`."""
    return WARMED if is_plain(course, slug) else course.exercise(slug).packages


def load_assignment(course: Course, slug: str) -> Assignment:
    """The assignment `slug`, ready for submissions to be graded by it.

    Errors: ConfigError, ExerciseError where it cannot be read; OtherLanguageError where it is no Python.
    """
    if is_plain(course, slug):
        return load_plain(course, slug)
    return course.seeded(slug)


def make_ready(course: Course, assignment: Assignment) -> None:
    """Errors: ConfigError where what students have been given is not what the assignment says now."""
    if isinstance(assignment, SeededExercise):
        require_fresh(assignment.built, course.solutions, course.assignments)


def enter(course: Course, assignment: Assignment) -> None:
    """Let the gradebook have the cells and points of today; of a plain assignment, those of its release are there."""
    if isinstance(assignment, SeededExercise):
        register(course, assignment.slug)


def follows_an_exercise(assignment: Assignment) -> bool:
    """Whether the gradebook has its cells and points from an exercise folder, as that is today."""
    return not isinstance(assignment, PlainAssignment)


def forget_what_is_gone(course: Course, assignment: Assignment) -> None:
    """What was kept of the assignment and not of students. Errors: OSError."""
    if isinstance(assignment, SeededExercise):
        forget_other_mistakes(course.root, assignment)
