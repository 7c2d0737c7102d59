"""How many have handed in, are graded, wait and have a page."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from msgspec.structs import replace

from autograder.course.course import Course
from autograder.course.gradebook import open_gradebook
from autograder.course.progress import Progress, Stage, progress_of
from autograder.course.reports import save_report
from autograder.course.standings import recorded_standings
from tests.course.graded_class import DOUBLE, FORMULA, LONG, QUADRUPLE, enter, fill, report
from tests.nbgrader_course import submit


def progress(course: Course) -> Progress:
    with open_gradebook(course) as gradebook:
        return progress_of(course, gradebook, "tiny", recorded_standings(gradebook, "tiny"))


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


def test_who_has_handed_in_something_else_is_to_be_graded_again_and_so_is_everybody_after_a_change_of_the_exercise(
    new_course: Callable[[str], Course],
) -> None:
    course = new_course("course")
    version = course.exercise("tiny").version
    with open_gradebook(course) as gradebook:
        for student in ("ada", "ben"):
            enter(course, gradebook, student, report(DOUBLE, QUADRUPLE))
            digest = course.handed_in(student, "tiny").digest
            save_report(course.root, student, replace(report(DOUBLE, QUADRUPLE), version=version, submission=digest))
    assert progress(course).counts[Stage.CHANGED] == 0
    submit(course.root, "ben", "tiny", b"{ }")
    assert progress(course).stages == {"ada": Stage.HAND_GRADING, "ben": Stage.CHANGED}
    hidden = course.exercises_folder / "tiny" / "test_hidden.py"
    hidden.write_text(hidden.read_text() + "\n# mended\n")
    shutil.rmtree(course.root / "submitted" / "ben")
    assert progress(course).stages == {"ada": Stage.CHANGED, "ben": Stage.HAND_GRADING}


def test_an_exercise_that_nobody_has_touched_has_no_numbers(new_course: Callable[[str], Course]) -> None:
    found = progress(new_course("course"))
    assert (found.stages, found.handed_in, found.graded, found.given_back) == ({}, 0, 0, 0)
