"""The standing of a submission, read from nbgrader's gradebook."""

from __future__ import annotations

from nbgrader.api import Assignment, BaseCell, Grade, Gradebook, Notebook, SubmittedAssignment, SubmittedNotebook

from autograder.report import Report, Status, task_name
from autograder.standing import Entry, Standing


def find_standing(gradebook: Gradebook, student: str, report: Report) -> Standing | None:
    """What the gradebook has of a submission; None where it has nothing, or other tasks than the report."""
    rows = (  # one query: nbgrader's objects ask once more for each task
        gradebook.db.query(
            Notebook.name.label("notebook"),
            BaseCell.name.label("cell"),
            Grade.max_score,
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            SubmittedNotebook.late_submission_penalty,
        )
        .join(Grade, Grade.cell_id == BaseCell.id)
        .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == report.exercise, SubmittedAssignment.student_id == student)
        .all()
    )
    entries = {
        task_name(report.exercise, row.notebook, row.cell): Entry(
            row.max_score, row.auto_score, row.manual_score, row.extra_credit or 0.0
        )
        for row in rows
    }
    if not entries or {*entries} != {task.name for task in report.tasks}:
        return None
    by_hand = frozenset(task.name for task in report.tasks if task.status is Status.BY_HAND)
    penalties = {row.notebook: row.late_submission_penalty or 0.0 for row in rows}
    return Standing(entries, by_hand, sum(penalties.values()))
