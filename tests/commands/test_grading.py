"""What grade and show say where something waits, and their exit status."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.commands.grading import saying_who_waits
from autograder.course.course import Course
from tests.course.graded_class import LONG, fill
from tests.course.test_changed_tasks import change
from tests.nbgrader_course import grades


@pytest.fixture
def course(new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch) -> Course:
    course = new_course("course")
    fill(course)
    monkeypatch.chdir(course.root)
    return course


def test_who_interrupts_a_run_is_told_whose_scores_wait_and_what_finishes_it(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt), saying_who_waits("tiny"):
        raise KeyboardInterrupt
    said = "2 students wait for a score, of double, quadruple: autograder grade tiny goes on and finishes it\n"
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    ("students", "status"), [(["ada"], 0), ([LONG], 1), (["refused"], 1), (["nobody"], 1), ([], 1)]
)
def test_show_ends_with_1_where_somebody_shown_is_ungraded_or_not_there(
    course: Course, students: list[str], status: int
) -> None:
    result = CliRunner().invoke(main, ["show", "tiny", *students])
    assert (result.exit_code, result.exception is None or status) == (status, status or True), result.output


def test_grading_one_student_is_refused_where_it_would_take_scores_from_others(course: Course) -> None:
    change(course, "points = 4", "points = 8")
    before = grades(course.root)
    result = CliRunner().invoke(main, ["grade", "tiny", "--student", "ada", "--jobs", "1"])
    assert (result.exit_code, "`autograder grade tiny` grades the whole class" in result.output) == (2, True)
    assert grades(course.root) == before
