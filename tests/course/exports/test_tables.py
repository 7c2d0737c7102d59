"""The tables for spreadsheets, Canvas and Moodle, read back by Python's own reader of CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.exports.formats import Exported, export
from autograder.course.gradebook import open_gradebook
from autograder.errors import ConfigError
from tests.course.graded_class import FORMULA, LONG, fill, numbers

WIDE = ("tiny/double", "tiny/quadruple", "tiny/explain")


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    course = new_course("course")
    fill(course)
    return course


def written(course: Course, kind: str, *assignments: str) -> tuple[list[list[str]], Exported]:
    to = course.root / f"{kind}.csv"
    with open_gradebook(course) as gradebook:
        exported = export(course, gradebook, kind, str(to), assignments)
    return list(csv.reader(to.open(newline="", encoding="utf-8"))), exported


def by_student(rows: list[list[str]], column: str) -> dict[str, dict[str, str]]:
    head, *others = rows
    return {row[head.index(column)]: dict(zip(head, row, strict=True)) for row in others}


def test_wide_has_a_row_a_student_sorted_by_id_with_the_names_of_nbgraders_table(course: Course) -> None:
    rows, _ = written(course, "wide")
    assert [row[:3] for row in rows[1:]] == [
        ["'=cmd()", "'=cmd()", "'@SUM(A1)"],
        ["absent", "", ""],
        ["ada", "O'Neil, Jr.", "Łukasz"],
        ["refused", "Doe", "Ben"],
        [LONG, "<script>alert(1)</script>", "'-Anna"],
    ]


def test_wide_has_each_task_in_the_exercises_order_and_a_status_beside_each_number(course: Course) -> None:
    rows, _ = written(course, "wide")
    assert [name for name in rows[0] if name in WIDE] == [*WIDE]
    found = by_student(rows, "student_id")
    statuses = [f"{name} status" for name in WIDE]
    totals = [f"tiny {name}" for name in ("total", "max", "late penalty", "status")]
    assert numbers(found["ada"], *WIDE, *totals) == ["4.0", "3.0", "1.5", "8.0", "9.0", "0.5", "final"]
    assert numbers(found["'=cmd()"], *WIDE, *statuses) == ["2.0", "3.0", "", "final", "final", "hand grading"]
    assert numbers(found["'=cmd()"], *totals) == ["5.0", "9.0", "0.0", "hand grading"]


def test_wide_has_no_number_where_there_is_no_score_and_says_why(course: Course) -> None:
    found = by_student(written(course, "wide")[0], "student_id")
    totals = ("tiny total", "tiny late penalty", "tiny status")
    assert numbers(found[LONG], *WIDE[1:2], f"{WIDE[1]} status", *totals) == ["", "ungraded", "", "", "ungraded"]
    assert numbers(found["refused"], *WIDE, *totals) == ["", "", "", "", "", "ungraded"]
    assert numbers(found["absent"], *WIDE, *totals) == ["", "", "", "", "", "no submission"]


def test_canvas_reads_its_own_head_the_points_and_final_scores_alone(course: Course) -> None:
    rows, exported = written(course, "canvas")
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "tiny"]
    assert "Points Possible" in rows[1][0]
    assert rows[1][1:] == ["", "", "", "", "9.0"]
    found = by_student(rows[:1] + rows[2:], "SIS Login ID")
    assert {name: row["tiny"] for name, row in found.items()} == {
        "'=cmd()": "", "absent": "", "ada": "8.0", "refused": "", LONG: "",
    }  # fmt: skip
    assert found["ada"]["Student"] == "O'Neil, Jr., Łukasz"
    assert exported.waiting == ["'=cmd()", "refused", LONG]


def test_moodle_has_its_sign_for_no_grade_where_an_empty_cell_would_become_a_zero(course: Course) -> None:
    rows, _ = written(course, "moodle")
    assert rows[0] == ["First name", "Last name", "ID number", "tiny"]
    assert {name: row["tiny"] for name, row in by_student(rows, "ID number").items()} == {
        "'=cmd()": "-", "absent": "-", "ada": "8.0", "refused": "-", LONG: "-",
    }  # fmt: skip


def test_moodle_has_addresses_only_where_nobodys_is_empty(course: Course) -> None:
    with open_gradebook(course) as gradebook:
        for student in gradebook.students:
            student.email = "a@example.org"
        gradebook.db.commit()
    assert written(course, "moodle")[0][0] == ["First name", "Last name", "ID number", "Email address", "tiny"]


@pytest.mark.parametrize("kind", ["wide", "canvas", "moodle"])
def test_no_cell_is_a_formula(kind: str, course: Course) -> None:
    cells = [cell for row in written(course, kind)[0] for cell in row]
    assert f"'{FORMULA}" in cells
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@")) and cell != "-"] == []


@pytest.mark.parametrize("kind", ["csv", "wide", "ctrf"])
def test_an_assignment_that_is_none_is_one_sentence(kind: str, course: Course) -> None:
    with open_gradebook(course) as gradebook, pytest.raises(Exception, match=r"no .* `tyni`"):
        export(course, gradebook, kind, str(course.root / "to"), ["tyni"])


def test_a_place_that_cannot_be_written_is_one_sentence(course: Course, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with open_gradebook(course) as gradebook, pytest.raises(ConfigError, match="cannot be written"):
        export(course, gradebook, "wide", str(tmp_path / "file" / "grades.csv"))


def test_an_assignment_of_several_notebooks_and_of_stock_nbgraders_tasks_is_in_the_tables_too(course: Course) -> None:
    with open_gradebook(course) as gradebook:
        gradebook.add_assignment("essay")
        for notebook in ("one", "two", "without points"):
            gradebook.add_notebook(notebook, "essay")
        gradebook.add_grade_cell("tested", "one", "essay", max_score=3, cell_type="code")
        gradebook.add_task_cell("draw", "two", "essay", max_score=2, cell_type="markdown")
        gradebook.add_submission("essay", "ada")
        gradebook.find_grade("tested", "one", "essay", "ada").auto_score = 2
        gradebook.find_grade("tested", "one", "essay", "ada").needs_manual_grade = False
        gradebook.db.commit()
    ada = by_student(written(course, "wide", "essay")[0], "student_id")["ada"]
    assert numbers(ada, "essay/one/tested", "essay/two/draw", "essay/two/draw status") == ["2.0", "", "hand grading"]
    assert numbers(ada, "essay total", "essay max", "essay status") == ["2.0", "5.0", "hand grading"]
