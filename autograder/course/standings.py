"""The standing of submissions, read from nbgrader's gradebook: of one, or of a whole class at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from msgspec.structs import replace
from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    GradeCell,
    Notebook,
    SolutionCell,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from sqlalchemy import func

from autograder.report import Report, Status, task_name
from autograder.standing import Entry, Standing


def find_standing(gradebook: Gradebook, student: str, report: Report, notebook: str = "") -> Standing | None:
    """What the gradebook has of a submission; None where it has nothing, or other tasks than the report.

    notebook: the one of which the report is, if it is of one of the assignment's.
    """
    of_student = SubmittedAssignment.student_id == student
    which = (of_student, Notebook.name == notebook) if notebook else (of_student,)
    rows = _rows(gradebook, report.exercise, *which)
    return standing_of(report, _standing(notebook or report.exercise, rows, frozenset()) if rows else None)


def standing_now(db_url: str, student: str, report: Report, notebook: str = "") -> Standing | None:
    """As `find_standing`, in the gradebook of this URL."""
    with Gradebook(db_url) as gradebook:
        return find_standing(gradebook, student, report, notebook)


def recorded_standings(gradebook: Gradebook, assignment: str, *students: str) -> dict[str, Standing]:
    """What the gradebook has of each student's submission, by student; of any assignment of nbgrader's.

    students: of these alone, if some are named.
    """
    which = [SubmittedAssignment.student_id.in_(students)] if students else []
    by_student = defaultdict(list)
    for row in _rows(gradebook, assignment, *which):
        by_student[row.student_id].append(row)
    answers = _answers(gradebook, assignment)
    return {student: _standing(assignment, rows, answers) for student, rows in by_student.items()}


def standing_of(report: Report, recorded: Standing | None) -> Standing | None:
    """What the gradebook has of a report's submission; None where it has nothing, or other tasks than the report.

    What a person grades is as the report has it.
    """
    if recorded is None or {*recorded.tasks} != {task.name for task in report.tasks}:
        return None
    by_hand = frozenset(task.name for task in report.tasks if task.status is Status.BY_HAND)
    return replace(recorded, by_hand=by_hand)


def _standing(assignment: str, rows: list[Any], answers: Collection[tuple[str, str]]) -> Standing:
    """answers: the cells, by notebook, for which a person gives points."""
    by_hand = frozenset(_task(assignment, row) for row in rows if row.is_task or (row.notebook, row.name) in answers)
    penalties = {row.notebook: row.late_submission_penalty or 0.0 for row in rows}
    awaited = frozenset(_task(assignment, row) for row in rows if row.needs_manual_grade)
    return Standing({_task(assignment, row): _entry(row) for row in rows}, by_hand, sum(penalties.values()), awaited)


def _task(assignment: str, row: Any) -> str:
    return task_name(assignment, row.notebook, row.name)


def _rows(gradebook: Gradebook, assignment: str, *which: Any) -> list[Any]:
    """One query: nbgrader's objects ask once more for each task."""
    rows: list[Any] = (
        gradebook.db.query(
            SubmittedAssignment.student_id,
            Notebook.name.label("notebook"),
            BaseCell.name,
            func.coalesce(GradeCell.max_score, TaskCell.max_score, 0.0).label("max_score"),
            TaskCell.id.is_not(None).label("is_task"),
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
            SubmittedNotebook.late_submission_penalty,
        )
        .select_from(Grade)
        .join(BaseCell.__table__, BaseCell.__table__.c.id == Grade.cell_id)
        .outerjoin(GradeCell.__table__, GradeCell.__table__.c.id == Grade.cell_id)
        .outerjoin(TaskCell.__table__, TaskCell.__table__.c.id == Grade.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == assignment, *which)
        .all()
    )
    return rows


def _answers(gradebook: Gradebook, assignment: str) -> set[tuple[str, str]]:
    """The cells that students write in: where such a cell has points, a person gives them."""
    found = (
        gradebook.db.query(Notebook.name, SolutionCell.name)
        .join(SolutionCell, SolutionCell.notebook_id == Notebook.id)
        .join(Assignment, Assignment.id == Notebook.assignment_id)
        .filter(Assignment.name == assignment)
        .all()
    )
    return {(notebook, cell) for notebook, cell in found}


def _entry(row: Any) -> Entry:
    return Entry(row.max_score, row.auto_score, row.manual_score, row.extra_credit or 0.0)
