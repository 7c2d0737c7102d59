"""The commands once a class is graded: they print what was written and who waits, and stop in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.cli import main
from autograder.course.course import Course
from tests.course.graded_class import fill

pytestmark = pytest.mark.broad
Run = Callable[..., Result]


@pytest.fixture
def run(new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch) -> Run:
    course = new_course("course")
    fill(course)
    monkeypatch.chdir(course.root)
    return lambda *arguments: CliRunner().invoke(main, arguments, env={"COLUMNS": "100"})


@pytest.mark.parametrize(
    ("kind", "written"),
    [("wide", "grades-wide.csv"), ("canvas", "grades-canvas.csv"), ("gradescope", "grades-gradescope: 2 files")],
)
def test_export_says_what_it_wrote_and_who_has_no_final_score_in_it(kind: str, written: str, run: Run) -> None:
    result = run("export", "--format", kind)
    assert (result.exit_code, result.output.splitlines()[0]) == (0, f"wrote {written}")
    assert "3 have no final score in it and wait for a person: " in result.output
    assert "refused" in result.output


def test_export_without_a_format_writes_what_nbgrader_export_writes(run: Run) -> None:
    assert run("export").output == "wrote grades.csv\n"
    assert Path("grades.csv").read_text().startswith("assignment,duedate")


def test_export_of_what_is_no_assignment_is_one_sentence(run: Run) -> None:
    for kind in ("csv", "moodle", "junit"):
        result = run("export", "--format", kind, "tyni")
        assert (result.exit_code, result.output.count("\n")) == (2, 1)
        assert "`tyni`" in result.output


def test_report_writes_its_page_among_the_reports_or_where_it_is_told(run: Run) -> None:
    assert run("report", "tiny").output == "wrote reports/tiny.html\n"
    assert run("report", "tiny", "--to", "page.html").output == "wrote page.html\n"
    assert Path("page.html").read_bytes() == Path("reports/tiny.html").read_bytes()


def test_similar_writes_its_page_and_names_whom_it_could_not_compare(run: Run) -> None:
    result = run("similar", "tiny")
    first, *rest = result.output.splitlines()
    assert (result.exit_code, first) == (1, "wrote reports/tiny.similar.html: 0 compared, pairs to look at: 0")
    assert len(rest) == 4
    assert all(" is not compared: " in line for line in rest)
    assert "No pair is listed" in Path("reports/tiny.similar.html").read_text()


def test_status_has_a_row_for_each_exercise_and_of_one_its_tasks(run: Run) -> None:
    (row,) = (line for line in run("status").output.splitlines() if "tiny" in line)
    assert row.replace("│", " ").split() == ["tiny", "4", "2", "1", "1", "1", "0", "0"]
    said = run("status", "tiny").output
    assert "double" in said
    assert "1: Squares x." in said
    assert "autograder report tiny" in said


def test_report_status_and_gradescope_of_what_is_no_exercise_are_one_sentence(run: Run) -> None:
    for command in ("report", "status", "gradescope"):
        result = run(command, "tyni")
        assert (result.exit_code, result.output.count("\n")) == (2, 1)
