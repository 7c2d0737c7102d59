"""nbgrader's gradebook: an exercise registered, evaluations recorded. One writer at a time."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from unittest import mock

import nbformat
import sqlalchemy
from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import compute_checksum, determine_grade, find_all_files

from autograder.course.folder import Course
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
        coursedir = _directory(course, slug, "*")
        coursedir.release_directory = release
        try:
            _run(GenerateAssignment(coursedir=coursedir, config=course.config, force=True))
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
        self._converter = Autograde(coursedir=_directory(course, slug, "*"), config=course.config)
        self._converter.log = _silent_log()
        self._late = AssignLatePenalties(config=course.config)
        self._late.init_plugin()

    def record(self, student: str, evaluation: Evaluation) -> None:
        """Write a student's evaluation in the place of an older one.

        Errors: RecordError, after which the submission waits for a person.
        """
        start = time.monotonic()
        try:
            with self._one_transaction():
                self._write_folder(student, evaluation.notebook)
                self._write_rows(student, evaluation)
        except (sqlalchemy.exc.SQLAlchemyError, OSError, MissingEntry, ValueError) as error:
            self.record_refused(student)
            raise RecordError(str(error)) from None
        _log.info("%s: recorded", plain_line(student))
        _log.debug("%s: it took %.2f s", plain_line(student), time.monotonic() - start)

    def record_refused(self, student: str) -> None:
        """Enter a submission that was not graded; every cell of it waits for a person."""
        with self._one_transaction():
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
            if self._graded(entry.student.id).is_file()
        }

    def close(self) -> None:
        self._gradebook.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _one_transaction(self) -> Iterator[None]:
        """nbgrader's API commits after every step; a grader that is killed between two would leave half of it."""
        session = self._gradebook.db
        try:
            with mock.patch.object(session, "commit", session.flush), _without_warnings():
                yield
            session.commit()
        except BaseException:
            session.rollback()
            raise

    def _graded(self, student: str) -> Path:
        return Path(self._converter._format_dest(self._slug, student), f"{self._slug}.ipynb")

    def _write_folder(self, student: str, notebook: NotebookNode) -> None:
        converter = self._converter
        graded = self._graded(student)
        target = graded.parent
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        BaseConverter.init_assignment(converter, self._slug, student)
        source = converter.coursedir.format_path(converter.coursedir.source_directory, ".", self._slug)
        kept = {os.path.join(source, name) for name in converter.exclude_overwriting.get(self._slug, [])}
        for file in sorted(set(find_all_files(source, [*converter.coursedir.ignore, "*.ipynb"])) - kept):
            copy = target / os.path.relpath(file, source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.unlink(missing_ok=True)
            shutil.copy(file, copy)
        graded.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
        converter.set_permissions(self._slug, student)

    def _write_rows(self, student: str, evaluation: Evaluation) -> None:
        timestamp = self._converter.coursedir.get_existing_timestamp(
            self._converter._format_source(self._slug, student)
        )
        handed_in = {"timestamp": timestamp} if timestamp else {}
        self._gradebook.update_or_create_student(student)
        submission = self._gradebook.update_or_create_submission(self._slug, student, **handed_in)
        notebook = next(one for one in submission.notebooks if one.name == self._slug)
        cells = {
            cell.metadata.nbgrader.grade_id: cell for cell in evaluation.notebook.cells if "nbgrader" in cell.metadata
        }
        _write_grades(notebook, cells, evaluation.report)
        _write_comments(notebook, cells)
        self._gradebook.db.flush()
        notebook.late_submission_penalty = self._penalty(student, notebook, submission.total_seconds_late)

    def _penalty(self, student: str, notebook: SubmittedNotebook, seconds_late: float) -> float | None:
        if seconds_late <= 0:
            return None
        penalty = self._late.plugin_inst.late_submission_penalty(student, notebook.score, seconds_late)
        return None if penalty is None else min(max(0, penalty), notebook.score)


def _write_grades(notebook: SubmittedNotebook, cells: dict[str, NotebookNode], report: Report) -> None:
    """As nbgrader's SaveAutoGrades; what has no score waits for a person."""
    for grade in notebook.grades:
        if has_score(grade, report.task(grade.name)):
            grade.auto_score, _ = determine_grade(cells[grade.name], _silent_log())
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        else:
            await_person(grade)


def _write_comments(notebook: SubmittedNotebook, cells: dict[str, NotebookNode]) -> None:
    for comment in notebook.comments:
        cell = cells[comment.name]
        is_untouched = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell)
        comment.auto_comment = "No response." if is_untouched else None


def leave_ungraded(db_url: str, slug: str, student: str) -> None:
    """No score may stand that is not this submission's: every cell of it waits for a person."""
    with Gradebook(db_url) as gradebook:
        try:
            submission = gradebook.find_submission(slug, student)
        except MissingEntry:
            return
        _leave_ungraded(submission)
        gradebook.db.commit()


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


def _directory(course: Course, slug: str, student: str) -> CourseDirectory:
    coursedir = CourseDirectory(config=course.config)
    coursedir.root = str(course.root)
    coursedir.assignment_id = slug
    coursedir.student_id = student
    return coursedir


def _run(converter: BaseConverter) -> None:
    """Without nbgrader's log, which tells of every file, and its warnings; a failure comes back as an exception."""
    converter.log = _silent_log()
    with _without_warnings():
        converter.start()


def _without_warnings() -> warnings.catch_warnings[None]:
    return warnings.catch_warnings(action="ignore", category=sqlalchemy.exc.SAWarning)


def _silent_log() -> logging.Logger:
    log = logging.getLogger("autograder.nbgrader")
    log.setLevel(logging.CRITICAL)
    return log
