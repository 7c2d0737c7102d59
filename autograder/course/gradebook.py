"""nbgrader's gradebook: an exercise registered, evaluations recorded. One writer at a time."""

from __future__ import annotations

import logging
import tempfile
import time
from datetime import datetime
from typing import Self

import sqlalchemy
from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.course.folder import Course
from autograder.course.nbgrader_internals import (
    GradedFolders,
    LatePenalties,
    automatic_score,
    generate_assignment,
    is_untouched,
    one_transaction,
)
from autograder.errors import ConfigError
from autograder.grading.evaluate import Evaluation
from autograder.report import Report, Status, TaskResult
from autograder.scrub import plain_line

_log = logging.getLogger(__name__)


class RecordError(Exception):
    """nbgrader could not record one submission; the text says why. Others are not affected."""


def open_gradebook(course: Course) -> Gradebook:
    """The gradebook, created where there is none; a context manager. Errors: ConfigError where it cannot be read."""
    try:
        gradebook = Gradebook(course.db_url, course.coursedir.course_id)
        gradebook.assignments  # noqa: B018 - the query is the test
    except (sqlalchemy.exc.SQLAlchemyError, OSError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"the gradebook {course.db_url} cannot be opened: {reason}") from None
    return gradebook


def register(course: Course, slug: str) -> None:
    """Let nbgrader take the exercise's cells and points into the gradebook, as `nbgrader generate_assignment` does.

    Errors: ConfigError where nbgrader refuses, as it does when cells have changed after submissions were graded.
    """
    with tempfile.TemporaryDirectory() as release:
        coursedir = _directory(course, slug)
        coursedir.release_directory = release
        try:
            generate_assignment(coursedir, course.config)
        except (NbGraderException, RuntimeError) as error:
            raise ConfigError(f"nbgrader does not take the exercise `{slug}` into the gradebook: {error}") from None
    _log.info("%s: its cells and points are in the gradebook", slug)


class Recorder:
    """Writes what `nbgrader autograde` would have written of one exercise: autograded folders and the gradebook's rows.

    nbgrader's own converter opens the gradebook some ten times for each submission and checks what is known to hold;
    here it stays open, and each submission is one transaction. Use as a context manager.
    """

    def __init__(self, course: Course, slug: str) -> None:
        self._slug = slug
        self._gradebook = open_gradebook(course)
        self._folders = GradedFolders(_directory(course, slug), course.config)
        self._penalties = LatePenalties(self._gradebook, course.config)

    def record(self, student: str, evaluation: Evaluation, handed_in: datetime | None) -> None:
        """Write a student's evaluation in the place of an older one. handed_in: when, in UTC and without a zone.

        Errors: RecordError, after which the submission waits for a person.
        """
        start = time.monotonic()
        try:
            with one_transaction(self._gradebook):
                self._folders.write(student, evaluation.notebook)
                self._write_rows(student, evaluation, handed_in)
        except (sqlalchemy.exc.SQLAlchemyError, OSError, MissingEntry, ValueError) as error:
            raise RecordError(str(error)) from None
        _log.info("%s: recorded", plain_line(student))
        _log.debug("%s: it took %.2f s", plain_line(student), time.monotonic() - start)

    def record_refused(self, student: str) -> None:
        """Enter a submission that was not graded; every cell of it waits for a person."""
        with one_transaction(self._gradebook):
            self._gradebook.update_or_create_student(student)
            submission = self._gradebook.update_or_create_submission(self._slug, student)
            _leave_ungraded(submission)
        _log.info("%s: entered as ungraded", plain_line(student))

    def scores(self) -> dict[str, dict[str, float | None]]:
        """The automatic score of each task of each student who has a folder and an entry that no deadline touches.

        A penalty hangs on the deadline and on scores given by hand, which change behind our back.
        """
        return {
            entry.student.id: {grade.name: grade.auto_score for one in entry.notebooks for grade in one.grades}
            for entry in self._gradebook.assignment_submissions(self._slug)
            if entry.total_seconds_late <= 0 and not any(one.late_submission_penalty for one in entry.notebooks)
            if self._folders.notebook(entry.student.id).is_file()
        }

    def close(self) -> None:
        self._gradebook.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_rows(self, student: str, evaluation: Evaluation, handed_in: datetime | None) -> None:
        moment = {"timestamp": handed_in} if handed_in else {}
        self._gradebook.update_or_create_student(student)
        submission = self._gradebook.update_or_create_submission(self._slug, student, **moment)
        notebook = next(one for one in submission.notebooks if one.name == self._slug)
        cells = {
            cell.metadata.nbgrader.grade_id: cell for cell in evaluation.notebook.cells if "nbgrader" in cell.metadata
        }
        _write_grades(notebook, cells, evaluation.report)
        _write_comments(notebook, cells)
        notebook.late_submission_penalty = self._penalties.of(student, notebook, submission.total_seconds_late)


def _write_grades(notebook: SubmittedNotebook, cells: dict[str, NotebookNode], report: Report) -> None:
    """As nbgrader's SaveAutoGrades; what has no score waits for a person."""
    for grade in notebook.grades:
        if has_score(grade, report.task(grade.name)):
            grade.auto_score = automatic_score(cells[grade.name])
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        else:
            await_person(grade)


def _write_comments(notebook: SubmittedNotebook, cells: dict[str, NotebookNode]) -> None:
    for comment in notebook.comments:
        comment.auto_comment = "No response." if is_untouched(cells[comment.name]) else None


def leave_ungraded(db_url: str, slug: str, student: str) -> None:
    """No score may stand that is not this submission's: every cell of it waits for a person."""
    with Gradebook(db_url) as gradebook, one_transaction(gradebook):
        try:
            submission = gradebook.find_submission(slug, student)
        except MissingEntry:
            return
        _leave_ungraded(submission)


def has_score(grade: Grade, task: TaskResult) -> bool:
    """Not a task that could not be graded, nor one whose points in the gradebook are not the exercise's."""
    return task.status is not Status.UNGRADED and bool(grade.max_score == task.points)


def await_person(grade: Grade) -> None:
    """No number stands for this cell until a person has looked at it."""
    grade.auto_score = None
    grade.needs_manual_grade = True


def _leave_ungraded(submission: SubmittedAssignment) -> None:
    for notebook in submission.notebooks:
        for grade in notebook.grades:
            await_person(grade)


def _directory(course: Course, slug: str) -> CourseDirectory:
    coursedir = CourseDirectory(config=course.config)
    coursedir.root = str(course.root)
    coursedir.assignment_id = slug
    coursedir.student_id = "*"
    return coursedir
