"""The table of scores: nbgrader's own values, and what they are worth where this package has graded."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin

from autograder.course.course import Course
from autograder.course.export import COLUMNS, ExportScores
from autograder.course.gradebook import open_gradebook
from autograder.errors import ConfigError

FOREIGN = "essay"


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    """With an assignment that is no exercise of this package, in which a person gives points for code, too."""
    course = new_course("course")
    with open_gradebook(course) as gradebook:
        for student in ("ada", "ben", "cleo"):
            gradebook.add_student(student, first_name=student.title(), email=f"{student}@example.org")
        gradebook.add_assignment(FOREIGN, duedate="2026-03-01 12:00:00 UTC")
        gradebook.add_notebook("part one", FOREIGN)
        for name, kind in (("text", "markdown"), ("program", "code"), ("tested", "code")):
            gradebook.add_grade_cell(name, "part one", FOREIGN, max_score=3, cell_type=kind)
        _score(gradebook, "ada", 2.5)
        _score(gradebook, "ben", 3, timestamp="2026-03-02 12:00:00.5 UTC", penalty=1)
        gradebook.add_submission("tiny", "ada")
    return course


def _score(gradebook: Gradebook, student: str, score: float, timestamp: str | None = None, penalty: float = 0) -> None:
    submission = gradebook.add_submission(FOREIGN, student, timestamp=timestamp)
    gradebook.find_grade("tested", "part one", FOREIGN, student).auto_score = score
    submission.notebooks[0].late_submission_penalty = penalty
    gradebook.db.commit()


def exported(plugin: type[CsvExportPlugin | ExportScores], course: Course, file: Path) -> list[dict[str, str]]:
    with open_gradebook(course) as gradebook:
        plugin(to=str(file), parent=course).export(gradebook)
    return list(csv.DictReader(file.open(newline="", encoding="utf-8")))


def test_an_assignment_that_is_no_exercise_of_ours_has_stock_nbgraders_values_and_no_status(
    course: Course, tmp_path: Path
) -> None:
    ours = [row for row in exported(ExportScores, course, tmp_path / "ours.csv") if row["assignment"] == FOREIGN]
    stock = [row for row in exported(CsvExportPlugin, course, tmp_path / "stock.csv") if row["assignment"] == FOREIGN]
    assert [row["score"] for row in stock] == ["2.5", "2.0", "0.0"]
    assert ours == [row | {"status": ""} for row in stock]


def test_an_exercise_of_ours_has_no_score_where_nbgrader_would_write_a_zero(course: Course, tmp_path: Path) -> None:
    exercise = [row for row in exported(ExportScores, course, tmp_path / "ours.csv") if row["assignment"] == "tiny"]
    rows = {row["student_id"]: row for row in exercise}
    assert [rows["ada"][name] for name in COLUMNS[7:]] == ["", "", "", "9.0", "ungraded"]
    assert [rows["ben"][name] for name in COLUMNS[7:]] == ["0.0", "0.0", "0.0", "9.0", "no submission"]


NAMES = {
    '=HYPERLINK("http://x")': '\'=HYPERLINK("http://x")',
    "+1": "'+1",
    "-2": "'-2",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'=1",
    "\r=1": "'=1",
    " =1": "'=1",
    "\x1b[31m=1": "'=1",
    "Ada\x1b[2J\nLovelace": "Ada Lovelace",
    "O'Neil, Jr.": "O'Neil, Jr.",
    "'=1": "'=1",
}


@pytest.mark.parametrize(("name", "written"), NAMES.items(), ids=lambda name: repr(name))
def test_a_text_is_no_formula_and_moves_no_terminal(name: str, written: str, course: Course, tmp_path: Path) -> None:
    with open_gradebook(course) as gradebook:
        gradebook.add_student("-d", first_name=name, last_name=name, email=name)
        _score(gradebook, "-d", -1)
    rows = exported(ExportScores, course, tmp_path / "ours.csv")
    (row,) = (row for row in rows if (row["student_id"], row["assignment"]) == ("'-d", FOREIGN))
    assert [row["first_name"], row["last_name"], row["email"]] == [written] * 3
    assert [row["raw_score"], row["score"]] == ["-1.0", "0.0"]


def test_a_file_that_cannot_be_written_is_one_sentence(course: Course) -> None:
    with pytest.raises(ConfigError, match=r"/no/such/folder/grades.csv cannot be written: No such file or directory"):
        exported(ExportScores, course, Path("/no/such/folder/grades.csv"))
