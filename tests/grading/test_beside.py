"""What a student reads whose notebook needs a file that was handed in beside it."""

from __future__ import annotations

from collections.abc import Callable

import nbformat
import pytest

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.course.course import Course
from autograder.course.reports import load_report
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Grader
from autograder.report import Report, Status
from autograder.submission.samples import solved_by
from tests.nbgrader_course import nbgrader, submit

AT_TOP = "import helpers\n\n\ndef double(x):\n    return helpers.double(x)\n"
INSIDE = "def double(x):\n    from helpers import twice\n\n    return twice(x)\n"
OPENS = "def double(x):\n    return np.loadtxt('mydata.csv') * x\n"
IMPORTED = "your notebook imports `helpers`, a file that you handed in beside it; only the notebook is graded"
OPENED = "your notebook opens `mydata.csv`, a file that you handed in beside it; only the notebook is graded"


def hand_in(course: Course, work: str) -> None:
    notebook = solved_by(course.build("tiny"), variant("x", work))
    for name in ("helpers.py", "mydata.csv"):
        submit(course.root, "ada", "tiny", b"twice = double = lambda x: 2 * x", name)
    submit(course.root, "ada", "tiny", notebook)


def report_of(course: Course) -> Report:
    return load_report(course.root, "tiny", "ada")


@pytest.mark.parametrize(("work", "told"), [(AT_TOP, IMPORTED), (INSIDE, IMPORTED), (OPENS, OPENED)])
def test_it_is_the_reason_and_a_finding(
    new_course: Callable[[str], Course], grader: Grader, work: str, told: str
) -> None:
    course = new_course("one")
    hand_in(course, work)
    grade_students(course, course.seeded("tiny"), ["ada"], WarmGrader(grader))
    report = report_of(course)
    double = report.task("double")
    assert double.status is Status.ERROR
    assert all(told in test.message for test in double.tests)
    beside = "beside the notebook: helpers.py, mydata.csv; only the notebook is graded"
    kinds = [(finding.kind, finding.message.startswith(told)) for finding in report.findings]
    assert report.findings[0].message == beside
    assert kinds == [("ignored", False), ("ignored", True)]
    page = (course.autograded("ada", "tiny") / "tiny.ipynb").read_text()
    assert page.count("a file that you handed in beside it") >= 2


@pytest.mark.slow
def test_nbgraders_own_command_says_the_same(new_course: Callable[[str], Course]) -> None:
    course = new_course("one")
    hand_in(course, INSIDE)
    assert nbgrader(course.root, "autograde", "tiny").returncode == 0
    assert [finding.kind for finding in report_of(course).findings] == ["ignored", "ignored"]


def test_whoever_needs_none_of_them_is_right(new_course: Callable[[str], Course], grader: Grader) -> None:
    course = new_course("one")
    hand_in(course, "def double(x):\n    return x + x\n")
    grade_students(course, course.seeded("tiny"), ["ada"], WarmGrader(grader))
    report = report_of(course)
    assert (report.earned, [finding.kind for finding in report.findings]) == (7, ["ignored"])
    assert nbformat.read(course.autograded("ada", "tiny") / "tiny.ipynb", 4)


def test_a_folder_in_the_place_of_the_courses_file_keeps_nobody_from_being_recorded(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    hand_in(course, "def double(x):\n    return x + x\n")
    submit(course.root, "ada", "tiny", b"mine", "checks.py/mine.txt")
    (outcome,) = grade_students(course, course.seeded("tiny"), ["ada"], WarmGrader(grader))
    assert (outcome.refused, report_of(course).earned) == ("", 7)
    built = (course.assignments / "tiny" / "checks.py").read_text()
    assert (course.autograded("ada", "tiny") / "checks.py").read_text() == built
