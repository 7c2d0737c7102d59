"""Scores as a table: nbgrader's CSV columns, and a last one that says what a number is worth.

`nbgrader export` and `autograder export` write the same file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from autograder.course.course import Course
from autograder.course.reports import load_report, refusal
from autograder.course.standings import recorded_standings, standing_of
from autograder.errors import ConfigError
from autograder.scrub import plain_line
from autograder.standing import Standing, Worth

COLUMNS = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,"
    "raw_score,late_submission_penalty,score,max_score,status"
).split(",")
_BEGINS_FORMULA = tuple("=+-@＝＋－＠")  # wide ones count, too


class ExportScores(ExportPlugin):
    """One row per assignment and student. A score that is not known is an empty field, never a zero. A text that a
    spreadsheet would take for a formula has a quote before it.

    parent: nbgrader's application, or the course; its `coursedir` is the course folder.
    Errors of `export`: ConfigError where the file cannot be written.
    status: a `Worth`; "no submission" has 0. Empty where this package has not graded: the scores are what nbgrader
    makes of them.
    """

    def export(self, gradebook: Gradebook) -> None:
        path = self.to or "grades.csv"
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS)
                writer.writeheader()
                writer.writerows(self._rows(gradebook))
        except OSError as error:
            raise ConfigError(f"{path} cannot be written: {error.strerror}") from None

    def _rows(self, gradebook: Gradebook) -> Iterator[dict[str, Any]]:
        course = Course(config=self.config, coursedir=self.parent.coursedir)
        ours = course.assignment_names
        for assignment in gradebook.assignments:
            recorded = recorded_standings(gradebook, assignment.name)
            for student in gradebook.students:
                if _chosen(assignment.name, self.assignment) and _chosen(student.id, self.student):
                    submission = _submission(gradebook, assignment, student)
                    row = _as_nbgrader_says(assignment, student, submission)
                    if assignment.name in ours:
                        row |= _of_worth(one.worth if (one := recorded.get(student.id)) else Worth.NO_SUBMISSION)
                    elif worth := _worth_of_plain(course.root, assignment.name, student.id, recorded.get(student.id)):
                        row |= _of_worth(worth)
                    yield {name: harmless(value) if isinstance(value, str) else value for name, value in row.items()}


def harmless(text: str) -> str:
    """One line without hidden characters, that no spreadsheet takes for a formula: what OWASP advises."""
    shown = plain_line(text)
    return f"'{shown}" if shown.startswith(_BEGINS_FORMULA) else shown


def _chosen(name: str, chosen: list[Any]) -> bool:
    return not chosen or name in map(str, chosen)


def _submission(gradebook: Gradebook, assignment: Any, student: Any) -> Any:
    try:
        return gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return None


def _as_nbgrader_says(assignment: Any, student: Any, submission: Any) -> dict[str, Any]:
    score, penalty = (submission.score, submission.late_submission_penalty) if submission else (0.0, 0.0)
    return {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "timestamp": submission.timestamp if submission else None,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "raw_score": score,
        "late_submission_penalty": penalty,
        "score": max(0.0, score - penalty),
        "max_score": assignment.max_score,
    }


def _of_worth(worth: Worth) -> dict[str, Any]:
    """What a row of ours has in other words than nbgrader."""
    unknown = dict.fromkeys(("raw_score", "late_submission_penalty", "score")) if worth is Worth.UNGRADED else {}
    return {"status": worth, **unknown}


def _worth_of_plain(root: Path, assignment: str, student: str, recorded: Standing | None) -> Worth | None:
    """As the report has it, since people may grade code of a plain assignment. None where nbgrader graded."""
    try:
        standing = standing_of(load_report(root, assignment, student), recorded)
    except ConfigError:
        return Worth.UNGRADED if recorded and refusal(root, assignment, student) else None
    return standing.worth if standing and recorded else None
