"""nbgrader's gradebook: an exercise registered, evaluations recorded. One writer at a time."""

from __future__ import annotations

import logging
import shlex
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Self

import sqlalchemy
from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.course.changed_tasks import TaskChanges, bring_up_to_date
from autograder.course.course import Course
from autograder.course.database import LOCKED, Patience, address, first_line, is_locked, readable
from autograder.course.nbgrader_internals import (
    GradedFolders,
    LatePenalties,
    automatic_score,
    creates_students,
    generate_assignment,
    is_outdated,
    is_scored,
    is_untouched,
    one_transaction,
    quiet,
)
from autograder.course.score_log import ScoreLog, note_found
from autograder.course.standings import find_standing, recorded_standings
from autograder.errors import ConfigError
from autograder.grading.evaluate import Evaluation
from autograder.report import Report, Status, TaskResult, task_name
from autograder.scrub import plain_line
from autograder.standing import Standing
from autograder.submission.handed_in import HandedIn

_log = logging.getLogger(__name__)


GRADED = "graded"
_OTHER_TASKS = "{said}; `autograder regrade {slug}` shows what that changes before anything is written"
_OTHER_POINTS = (
    "{said}: the scores of that would go from {others}, whom this run does not grade; `autograder grade {slug}` grades "
    "the whole class, and `autograder regrade {slug}` shows what that changes before anything is written"
)
_OTHER_NOTEBOOKS = (
    "; undo that, or let the gradebook forget all of it, points given by hand and the deadline too: "
    "`nbgrader db assignment remove --force {slug}`, then grade again"
)


class RecordError(Exception):
    """nbgrader could not record one submission; the text says why. Others are not affected."""


def open_gradebook(course: Course) -> Gradebook:
    """The gradebook, created where there is none; a context manager. Errors: ConfigError where it cannot be read."""
    if "?" in str(course.root) and str(course.root) in course.db_url:  # all after it would not be the file's name
        raise ConfigError(f"nbgrader can keep no gradebook in {course.root}: its path has a `?`; rename the folder")
    with readable(course.db_url), quiet():
        if is_outdated(course.db_url):
            raise ConfigError(
                f"the gradebook {address(course.db_url)} is of an older nbgrader; run `nbgrader db upgrade` first"
            )
        gradebook = Gradebook(course.db_url, course.coursedir.course_id)
        gradebook.assignments  # noqa: B018 - the query is the test
    if gradebook.engine.name != "sqlite" and not course.coursedir.course_id:  # nbgrader enters no course for it
        gradebook.close()
        raise ConfigError(
            f"the gradebook {address(course.db_url)} needs a name for the course; set c.CourseDirectory.course_id"
        )
    return gradebook


@contextmanager
def gradebook_to_read(course: Course) -> Iterator[Gradebook]:
    """As `open_gradebook`; what the database raises inside is a ConfigError, too."""
    with open_gradebook(course) as gradebook, readable(course.db_url):
        yield gradebook


def known_students(course: Course) -> list[str]:
    """Every student whom the gradebook has; made where there is none. Errors: ConfigError where it cannot be read."""
    with gradebook_to_read(course) as gradebook:
        return [student.id for student in gradebook.students]


def is_registered(course: Course, slug: str) -> bool:
    """Whether the gradebook has the exercise. Errors: ConfigError where it cannot be read."""
    with open_gradebook(course) as gradebook:
        return any(one.name == slug and one.notebooks for one in gradebook.assignments)


def register(
    course: Course,
    slug: str,
    renamed: Mapping[str, str] | None = None,
    *,
    tasks_may_change: bool = False,
    students: Collection[str] = (),
) -> TaskChanges:
    """Let nbgrader take the exercise's cells and points into the gradebook, as `nbgrader generate_assignment` does.

    renamed, result: as in `bring_up_to_date`. tasks_may_change: whether what hangs on a task may go with it. students:
    who alone is graded next, if some are named: nobody else's scores may go.
    Errors: ConfigError where tasks have changed that may not, and where nbgrader refuses.
    """
    changes = _take_in_changes(course, slug, renamed or {}, tasks_may_change, students)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            link = Path(temporary) / "course"  # nbgrader takes the course's own path for a pattern
            link.symlink_to(course.root)
            coursedir = directory(course, slug)
            coursedir.root = str(link)
            coursedir.db_url = course.db_url
            coursedir.release_directory = str(Path(temporary) / "release")
            generate_assignment(coursedir, course.config)
    except (NbGraderException, OSError) as error:
        cause = error.__cause__ or error
        if is_locked(cause):
            raise ConfigError(LOCKED) from None
        way_on = _OTHER_NOTEBOOKS.format(slug=slug) if "submissions associated" in str(cause) else ""
        raise ConfigError(
            f"nbgrader does not take the exercise `{slug}` into the gradebook: {first_line(cause)}{way_on}"
        ) from None
    _log.info("%s: its cells and points are in the gradebook", slug)
    return changes


def _take_in_changes(
    course: Course, slug: str, renamed: Mapping[str, str], tasks_may_change: bool, students: Collection[str]
) -> TaskChanges:
    try:
        with open_gradebook(course) as gradebook, one_transaction(gradebook, Patience()):
            changes = bring_up_to_date(gradebook, slug, course.solutions / slug, renamed)
            if changes.need_a_look and not tasks_may_change:
                raise ConfigError(_OTHER_TASKS.format(said="; ".join(changes.said + changes.warnings), slug=slug))
            if students and (others := changes.scored.difference(students)):
                who = "1 other student" if len(others) == 1 else f"{len(others)} other students"
                raise ConfigError(_OTHER_POINTS.format(said="; ".join(changes.said), others=who, slug=slug))
            if changes.said:
                note_found(course, gradebook, slug, "; ".join(changes.said), changes)
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise ConfigError(LOCKED if is_locked(error) else first_line(error)) from None
    return changes


class Recorder:
    """Writes what `nbgrader autograde` would have written of one exercise: autograded folders and the gradebook's rows.

    nbgrader's own converter opens the gradebook some ten times for each submission and checks what is known to hold;
    here it stays open, and each submission is one transaction. Use as a context manager.
    """

    def __init__(self, course: Course, slug: str, why: str = GRADED) -> None:
        """why: what the log of scores says of what is recorded."""
        self._slug = slug
        self._why = why
        self._log = ScoreLog(course.root, slug)
        self._db_url = course.db_url
        self._gradebook = open_gradebook(course)
        self._folders = GradedFolders(directory(course, slug), course.config, course.written_files(slug))
        self._penalties = LatePenalties(self._gradebook, course.config)
        self._creates_students = creates_students(course.config)
        self._patience = Patience()

    def record(self, student: str, evaluation: Evaluation, found: HandedIn, *, again: bool = False) -> None:
        """Write a student's evaluation in the place of an older one.

        found: what was evaluated. again: whether this very evaluation stands there: then nobody who has entered points
        must look at them once more.
        Errors: RecordError, after which the submission waits for a person.
        """
        start = time.monotonic()
        try:
            with self._transaction():
                self._write_rows(student, evaluation, found.moment, again)
                self._write_folder(student, evaluation, found)
        except RecordError as error:
            with suppress(RecordError):
                self._leave_ungraded(student)
            self._note(student, f"it could not be recorded: {error}", evaluation.report)
            raise
        self._note(student, self._why, evaluation.report)
        _log.info("%s: recorded", plain_line(student))
        _log.debug("%s: it took %.2f s", plain_line(student), time.monotonic() - start)

    def record_refused(self, student: str, reason: str = "") -> None:
        """Enter a submission that was not graded, for this reason; every cell of it waits for a person.

        Where nbgrader does not take even this, a warning says so: the run goes on.
        """
        try:
            self._leave_ungraded(student)
        except RecordError as error:
            _log.warning("%s: not entered as ungraded: %s", plain_line(student), plain_line(str(error)))
        else:
            self._note(student, f"not graded: {reason}")
            _log.info("%s: entered as ungraded", plain_line(student))

    def scores(self) -> dict[str, dict[str, float | None]]:
        """The automatic score of each task of each student who has a folder and an entry that no deadline touches.

        A penalty hangs on the deadline and on scores given by hand, which change behind our back.
        Errors: ConfigError where the gradebook cannot be read.
        """
        with readable(self._db_url):
            return {
                entry.student.id: {
                    task_name(self._slug, one.name, grade.name): grade.auto_score
                    for one in entry.notebooks
                    for grade in one.grades
                }
                for entry in self._gradebook.assignment_submissions(self._slug)
                if entry.total_seconds_late <= 0 and not any(one.late_submission_penalty for one in entry.notebooks)
                if self._folders.has(entry.student.id)
            }

    def standing(self, student: str, report: Report) -> Standing | None:
        """What the gradebook has of a submission now; None where it has nothing or cannot be read."""
        with suppress(ConfigError), readable(self._db_url):
            return find_standing(self._gradebook, student, report)
        return None

    def close(self) -> None:
        self._gradebook.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def why_not(self, student: str) -> str:
        """Why nothing can be recorded of a student, if so: the gradebook does not know them and may not."""
        if self._creates_students:
            return ""
        try:
            self._gradebook.find_student(student)
        except MissingEntry:
            return (
                f"the gradebook has no student {student}, and c.Autograde.create_student is False; "
                f"run `nbgrader db student add {shlex.quote(student)}`, then grade again"
            )
        return ""

    def _write_folder(self, student: str, evaluation: Evaluation, found: HandedIn) -> None:
        self._folders.write(student, evaluation.notebooks, found)

    def _note(self, student: str, why: str, report: Report | None = None) -> None:
        made = (report.version, report.seed) if report else ("", None)
        with suppress(ConfigError), readable(self._db_url):  # what cannot be read now is found the next time
            self._log.note(
                lambda: recorded_standings(self._gradebook, self._slug, student), why, lambda _: made, everybody=False
            )

    def _leave_ungraded(self, student: str) -> None:
        with self._transaction():
            self._enter(student)
            _leave_ungraded(self._gradebook.update_or_create_submission(self._slug, student))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with one_transaction(self._gradebook, self._patience):
                yield
        except RecordError:
            raise
        except Exception as error:  # a course's own plug-in for penalties may raise anything
            _log.debug("not recorded", exc_info=True)
            raise RecordError(LOCKED if is_locked(error) else first_line(error)) from None

    def _enter(self, student: str) -> None:
        if self._creates_students:
            self._gradebook.update_or_create_student(student)
        elif reason := self.why_not(student):
            raise RecordError(reason)

    def _write_rows(self, student: str, evaluation: Evaluation, handed_in: datetime | None, again: bool) -> None:
        self._enter(student)
        submission = self._gradebook.update_or_create_submission(self._slug, student, timestamp=handed_in)
        for notebook in submission.notebooks:
            graded = evaluation.notebooks.get(notebook.name, NotebookNode(cells=[]))
            cells = {cell.metadata.nbgrader.grade_id: cell for cell in graded.cells if "nbgrader" in cell.metadata}
            for grade in notebook.grades:
                name = task_name(self._slug, notebook.name, grade.name)
                before, is_settled = grade.auto_score, grade.manual_score is not None and not grade.needs_manual_grade
                _write_grade(grade, cells.get(grade.name), evaluation.report.task(name))
                if again and is_settled and grade.auto_score == before:
                    grade.needs_manual_grade = False
            _write_comments(notebook, cells)
            notebook.late_submission_penalty = self._penalties.of(student, notebook, submission.total_seconds_late)


class Draft(Recorder):
    """Writes into the gradebook alone: for one that is a copy."""

    def _write_folder(self, student: str, evaluation: Evaluation, found: HandedIn) -> None:
        pass

    def _note(self, student: str, why: str, report: Report | None = None) -> None:
        pass


def _write_grade(grade: Grade, cell: NotebookNode | None, task: TaskResult) -> None:
    """As nbgrader's SaveAutoGrades; what has no score waits for a person."""
    if not has_score(grade, task):
        await_person(grade)
    elif cell is not None and is_scored(cell):
        grade.auto_score = automatic_score(cell)
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
    elif task.earned is not None:  # of a notebook that was not handed in
        grade.auto_score, grade.needs_manual_grade = task.earned, False
    else:  # of a cell that people alone grade, or that is gone
        grade.auto_score = None
        grade.needs_manual_grade = grade.needs_manual_grade or grade.manual_score is None


def _write_comments(notebook: SubmittedNotebook, cells: dict[str, NotebookNode]) -> None:
    for comment in notebook.comments:
        cell = cells.get(comment.name)
        comment.auto_comment = "No response." if cell is not None and is_untouched(cell) else None


def enter_moment(db_url: str, slug: str, student: str, moment: datetime | None) -> None:
    """Enter when a submission was handed in, in UTC and without a zone; None takes away that of an older one."""
    with Gradebook(db_url) as gradebook:
        gradebook.update_or_create_submission(slug, student, timestamp=moment)


def leave_ungraded(db_url: str, slug: str, student: str) -> None:
    """No score may stand that is not this submission's: every cell of it waits for a person."""
    with Gradebook(db_url) as gradebook, one_transaction(gradebook, Patience()):
        try:
            submission = gradebook.find_submission(slug, student)
        except MissingEntry:
            return
        _leave_ungraded(submission)


def await_cells(db_url: str, slug: str, notebook: str, student: str, there: set[str]) -> None:
    """Let the cells of a submitted notebook that are not among these wait for a person."""
    with Gradebook(db_url) as gradebook:
        for grade in gradebook.find_submission_notebook(notebook, slug, student).grades:
            if grade.name not in there and grade.auto_score is not None:
                await_person(grade)
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


def directory(course: Course, slug: str) -> CourseDirectory:
    """nbgrader's own, for all submissions of one assignment."""
    coursedir = CourseDirectory(config=course.config)
    coursedir.root = str(course.root)
    coursedir.assignment_id = slug
    coursedir.student_id = "*"
    return coursedir
