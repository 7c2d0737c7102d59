"""nbgrader's gradebook: an exercise registered, an evaluation recorded. One writer at a time."""

from __future__ import annotations

import logging
import tempfile
import warnings

import sqlalchemy
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets import Any as AnyTrait

from autograder.course import Course
from autograder.errors import ConfigError
from autograder.evaluate import Evaluation


class RecordError(Exception):
    """nbgrader could not record one submission; the text says why. Others are not affected."""


class _EvaluatedAutograde(Autograde):
    """nbgrader's own Autograde, handed a submission that is evaluated already."""

    evaluation = AnyTrait()


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


def record(course: Course, slug: str, student: str, evaluation: Evaluation) -> None:
    """Write what `nbgrader autograde` would have written: the autograded folder and the gradebook's rows.

    Errors: RecordError, after which the submission waits for a person.
    """
    recorder = _EvaluatedAutograde(coursedir=_directory(course, slug, student), config=course.config, force=True)
    recorder.evaluation = evaluation
    try:
        _run(recorder)
    except (NbGraderException, AttributeError, ValueError) as error:
        leave_ungraded(course.db_url, slug, student)
        raise RecordError(str(error)) from None


def record_refused(course: Course, slug: str, student: str) -> None:
    """Enter a submission that was not graded; every cell of it waits for a person."""
    with Gradebook(course.db_url, course.coursedir.course_id) as gradebook:
        gradebook.update_or_create_student(student)
        gradebook.update_or_create_submission(slug, student)
    leave_ungraded(course.db_url, slug, student)


def leave_ungraded(db_url: str, slug: str, student: str) -> None:
    """No score may stand that is not this submission's: every cell of it waits for a person."""
    with Gradebook(db_url) as gradebook:
        try:
            submission = gradebook.find_submission(slug, student)
        except MissingEntry:
            return
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                grade.auto_score = None
                grade.needs_manual_grade = True
        gradebook.db.commit()


def _directory(course: Course, slug: str, student: str) -> CourseDirectory:
    coursedir = CourseDirectory(config=course.config)
    coursedir.root = str(course.root)
    coursedir.assignment_id = slug
    coursedir.student_id = student
    return coursedir


def _run(converter: BaseConverter) -> None:
    """Without nbgrader's log, which tells of every file, and its warnings; a failure comes back as an exception."""
    converter.log = logging.getLogger("autograder.nbgrader")
    converter.log.setLevel(logging.CRITICAL)
    with warnings.catch_warnings(action="ignore", category=sqlalchemy.exc.SAWarning):
        converter.start()
