"""Scores as a table: nbgrader's CSV columns, and a last one that says what a number is worth.

`nbgrader export` and `autograder export` write the same file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

COLUMNS = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,"
    "raw_score,late_submission_penalty,score,max_score,status"
).split(",")


class ExportScores(ExportPlugin):
    """One row per assignment and student. A score that is not known is an empty field, never a zero.

    status: "final"; "hand grading" (something waits for a person in formgrader, the score is what there is so far);
    "ungraded" (a task could not be graded and waits for a person, no score); "no submission" (0).
    """

    def export(self, gradebook: Gradebook) -> None:
        with open(self.to or "grades.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self._rows(gradebook))

    def _rows(self, gradebook: Gradebook) -> Iterator[dict[str, Any]]:
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                if _chosen(assignment.name, self.assignment) and _chosen(student.id, self.student):
                    yield _row(gradebook, assignment, student)


def _chosen(name: str, chosen: list[Any]) -> bool:
    return not chosen or name in map(str, chosen)


def _row(gradebook: Gradebook, assignment: Any, student: Any) -> dict[str, Any]:
    about = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "max_score": assignment.max_score,
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return about | {"raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0, "status": "no submission"}
    status = _status(submission)
    if status == "ungraded":
        return about | {"timestamp": submission.timestamp, "status": status}
    penalty = submission.late_submission_penalty or 0.0
    return about | {
        "timestamp": submission.timestamp,
        "raw_score": submission.score,
        "late_submission_penalty": penalty,
        "score": max(0.0, submission.score - penalty),
        "status": status,
    }


def _status(submission: Any) -> str:
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    unscored = [grade for grade in grades if grade.auto_score is None and grade.manual_score is None]
    if any(grade.cell.cell_type == "code" for grade in unscored):
        return "ungraded"
    return "hand grading" if any(grade.needs_manual_grade for grade in grades) else "final"
