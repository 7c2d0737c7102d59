"""The standing of a submission, read from nbgrader's gradebook."""

from __future__ import annotations

from nbgrader.api import Gradebook, MissingEntry

from autograder.report import Report, Status
from autograder.standing import Entry, Standing


def find_standing(gradebook: Gradebook, student: str, report: Report) -> Standing | None:
    """What the gradebook has of a submission; None where it has nothing, or other tasks than the report."""
    try:
        notebook = gradebook.find_submission_notebook(report.exercise, report.exercise, student)
    except MissingEntry:
        return None
    entries = {
        grade.name: Entry(grade.max_score, grade.auto_score, grade.manual_score, grade.extra_credit or 0.0)
        for grade in notebook.grades
    }
    if {*entries} != {task.name for task in report.tasks}:
        return None
    by_hand = frozenset(task.name for task in report.tasks if task.status is Status.BY_HAND)
    return Standing(entries, by_hand, notebook.late_submission_penalty or 0.0)
