"""All that this package uses of nbgrader beyond what nbgrader documents.

`tests/course/test_nbgrader_contract.py` states what is relied on, so that another nbgrader fails there first.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any

import nbformat
import sqlalchemy
from nbformat import NotebookNode
from nbgrader.api import Base, Grade, Gradebook, SubmittedNotebook, app_log
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties, SaveAutoGrades
from nbgrader.utils import (
    compute_checksum,
    determine_grade,
    find_all_files,
    is_grade,
    is_locked,
    is_solution,
    is_task,
)
from traitlets.config import Config

from autograder.course.database import Patience, take_lock
from autograder.submission.handed_in import HandedIn, laid_beside
from autograder.tree import HANDED_IN, UnsafeError, read

QUIET_LOG = logging.getLogger("autograder.nbgrader")  # nbgrader's own tells of every file
QUIET_LOG.setLevel(logging.CRITICAL)


@contextmanager
def quiet() -> Iterator[None]:
    """Without what nbgrader's API says of errors that it raises as well, and the warnings of its use of SQLAlchemy."""
    before, app_log.disabled = app_log.disabled, True
    try:
        with warnings.catch_warnings(action="ignore", category=sqlalchemy.exc.SAWarning):
            yield
    finally:
        app_log.disabled = before


@contextmanager
def one_transaction(gradebook: Gradebook, patience: Patience) -> Iterator[None]:
    """All or nothing of what is done inside, although nbgrader's API commits after every step.

    Nobody else writes meanwhile. Nothing can be done inside after an error of the database. What was read inside is of
    no use afterwards. Errors: sqlalchemy.exc.OperationalError where others hold a lock for longer than `patience`.
    """
    gradebook.db.remove()
    try:
        with quiet(), patience.ends_with_a_lock(), gradebook.engine.begin() as connection:
            take_lock(connection, patience)
            session = gradebook.db(bind=connection, join_transaction_mode="rollback_only", expire_on_commit=False)
            yield
            session.flush()
    finally:
        gradebook.db.remove()


def is_outdated(db_url: str) -> bool:
    """Whether an older nbgrader made the gradebook. Errors: SQLAlchemyError, ImportError.

    To be asked before nbgrader opens it, as that adds tables which its own upgrade does not expect.
    """
    engine = sqlalchemy.create_engine(db_url)
    try:
        found = sqlalchemy.inspect(engine).get_multi_columns()
    finally:
        engine.dispose()
    columns = {table: {column["name"] for column in described} for (_, table), described in found.items()}
    wanted = {table.name: set(table.columns.keys()) for table in Base.metadata.sorted_tables}
    return bool(columns) and any(not names <= columns.get(table, set()) for table, names in wanted.items())


def generate_assignment(coursedir: CourseDirectory, config: Config) -> None:
    """As the command does, over what is there. Errors: NbGraderException, caused by what nbgrader only logs."""
    converter = GenerateAssignment(coursedir=coursedir, config=config, force=True)
    logged = _LoggedErrors()
    converter.log = logging.Logger("autograder.nbgrader", logging.ERROR)
    converter.log.addHandler(logged)
    try:
        with quiet():
            converter.start()
    except (NbGraderException, RuntimeError) as error:
        raise NbGraderException(str(error)) from (logged.errors or [error])[0]


class _LoggedErrors(logging.Handler):
    """The exceptions that somebody logs as text while they are handled."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        if error := sys.exc_info()[1]:
            self.errors.append(error)


class GradedFolders:
    """The folders that `nbgrader autograde` leaves of one exercise. written: as in `leave_to_students`."""

    def __init__(self, coursedir: CourseDirectory, config: Config, written: Collection[str] = ()) -> None:
        self._coursedir = coursedir
        self._slug = str(coursedir.assignment_id)
        self._converter = Autograde(coursedir=coursedir, config=config)
        self._converter.log = QUIET_LOG
        leave_to_students(self._converter, self._slug, written)

    def has(self, student: str) -> bool:
        """Whether there is a graded notebook of a student's."""
        return any(self._graded(student).glob("*.ipynb"))

    def write(self, student: str, notebooks: Mapping[str, NotebookNode], found: HandedIn) -> None:
        """Put the notebooks, the files that came with them, and the course's own over these in the place of older ones.

        found: with what they came.

        Errors: OSError, after which there is no such folder.
        """
        graded = self._graded(student)
        shutil.rmtree(graded, ignore_errors=True)
        try:
            self._fill(graded, notebooks, found)
        except OSError:  # a full disk
            shutil.rmtree(graded, ignore_errors=True)
            raise
        self._converter.set_permissions(self._slug, student)

    def _fill(self, graded: Path, notebooks: Mapping[str, NotebookNode], found: HandedIn) -> None:
        graded.mkdir(parents=True)
        own = self.own_files()
        self._copy_handed_in(found, graded, own)
        for name, file in own.items():
            _copy(file, graded / name)
        for name, notebook in notebooks.items():
            (graded / f"{name}.ipynb").write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")

    def own_files(self) -> dict[str, Path]:
        """The course's own, which come in the place of what was handed in under their names."""
        source = self._path(self._coursedir.source_directory, ".")
        theirs = {str(source / name) for name in self._converter.exclude_overwriting.get(self._slug, [])}
        found = set(find_all_files(str(source), [*self._coursedir.ignore, "*.ipynb"])) - theirs
        return {os.path.relpath(file, source): Path(file) for file in sorted(found)}

    def _graded(self, student: str) -> Path:
        return self._path(self._coursedir.autograded_directory, student)

    def _copy_handed_in(self, found: HandedIn, graded: Path, own: Collection[str]) -> None:
        """What the look at it found to be files, and no more: nbgrader would follow what it comes upon."""
        for name in laid_beside(found.files, self._coursedir.ignore, own):
            path = PurePath(name)
            with suppress(UnsafeError):  # it has gone since
                content = read(found.folder / path.parent, path.name, HANDED_IN.size, found.trusted)
                (graded / path).parent.mkdir(parents=True, exist_ok=True)
                (graded / path).write_bytes(content)

    def _path(self, directory: str, student: str) -> Path:
        return Path(self._coursedir.format_path(directory, student, self._slug))


class LatePenalties:
    """What the course's plug-in takes off for work that is late."""

    def __init__(self, gradebook: Gradebook, config: Config) -> None:
        self._gradebook = gradebook
        preprocessor = AssignLatePenalties(config=config)
        self._plugin = preprocessor.plugin_class(parent=preprocessor)

    def of(self, student: str, notebook: SubmittedNotebook, seconds_late: float) -> float | None:
        """In points, from 0 to the notebook's score; None where there is no penalty."""
        if seconds_late <= 0:
            return None
        self._gradebook.db.flush()  # its score is computed by the database
        penalty = self._plugin.late_submission_penalty(student, notebook.score, seconds_late)
        return None if penalty is None else min(max(0, penalty), notebook.score)


def creates_students(config: Config) -> bool:
    """Whether grading may enter a student whom the gradebook does not know."""
    return bool(Autograde(config=config).create_student)


def is_scored(cell: NotebookNode) -> bool:
    """Whether nbgrader enters a score for it; for a cell that describes a task people do."""
    return bool(is_grade(cell))


def automatic_score(cell: NotebookNode) -> float | None:
    """The points that nbgrader reads from a grade cell; None where a person must look."""
    score: float | None = determine_grade(cell, QUIET_LOG)[0]
    return score


def kinds_of(cell: NotebookNode) -> list[str]:
    """As what the gradebook knows a cell of a source notebook: grade, solution, task, source."""
    kinds = {"grade": is_grade(cell), "solution": is_solution(cell), "task": is_task(cell)}
    kinds["source"] = any(kinds.values()) or is_locked(cell)
    return [kind for kind, is_one in kinds.items() if is_one]


def is_untouched(cell: NotebookNode) -> bool:
    """Whether a cell for an answer is as it was released; what a task's cell asks for is answered elsewhere."""
    return bool(cell.metadata.nbgrader.get("checksum") == compute_checksum(cell)) and not is_task(cell)


def leave_to_students(converter: Autograde, slug: str, written: Collection[str]) -> None:
    """Let no file of the course's come in the place of these, which students have written."""
    left = converter.exclude_overwriting
    converter.exclude_overwriting = {**left, slug: [*left.get(slug, []), *written]}


def leave_to_nbgrader(converter: Autograde) -> None:
    """Take the preprocessors that are nbgrader's own, its kernel among them."""
    stock = Autograde()
    converter.sanitize_preprocessors = stock.sanitize_preprocessors
    converter.autograde_preprocessors = stock.autograde_preprocessors


class SaveGrades(SaveAutoGrades):
    """nbgrader's recording of a graded notebook."""

    def save_grade(self, grade: Grade, cell: NotebookNode, resources: Any) -> None:
        """Enter the score of one grade cell; for subclasses to change."""
        super()._add_score(cell, resources)

    def _add_score(self, cell: NotebookNode, resources: Any) -> None:
        name = cell.metadata.nbgrader.grade_id
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        self.save_grade(grade, cell, resources)
        self.gradebook.db.commit()


def _copy(file: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, copy)
