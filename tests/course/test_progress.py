"""How many have handed in, are graded, wait and have a page."""

from __future__ import annotations

from collections.abc import Callable

from autograder.course.course import Course
from autograder.course.gradebook import open_gradebook
from autograder.course.progress import Progress, Stage, progress_of
from autograder.course.standings import recorded_submissions
from tests.course.graded_class import FORMULA, LONG, fill
from tests.nbgrader_course import submit


def progress(course: Course) -> Progress:
    with open_gradebook(course) as gradebook:
        return progress_of(course, gradebook, "tiny", recorded_submissions(gradebook, "tiny"))


def test_every_student_stands_at_one_place(new_course: Callable[[str], Course]) -> None:
    course = new_course("course")
    fill(course)
    submit(course.root, "late", "tiny", b"{}")
    page = course.feedback("ada", "tiny") / "tiny.html"
    page.parent.mkdir(parents=True)
    page.touch()
    found = progress(course)
    assert found.stages == {
        FORMULA: Stage.HAND_GRADING, "absent": Stage.ABSENT, "ada": Stage.FINAL, "late": Stage.TO_GRADE,
        "refused": Stage.REFUSED, LONG: Stage.UNGRADED,
    }  # fmt: skip
    assert (found.handed_in, found.graded, found.given_back) == (5, 2, 1)


def test_an_exercise_that_nobody_has_touched_has_no_numbers(new_course: Callable[[str], Course]) -> None:
    found = progress(new_course("course"))
    assert (found.stages, found.handed_in, found.graded, found.given_back) == ({}, 0, 0, 0)
