"""All that this package uses of nbgrader beyond what nbgrader documents.

`tests/course/test_nbgrader_contract.py` states what is relied on, so that another nbgrader fails there first.
"""

from __future__ import annotations

import logging
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import sqlalchemy
from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook, SubmittedNotebook
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties, SaveAutoGrades
from nbgrader.utils import compute_checksum, determine_grade, find_all_files
from traitlets.config import Config

_LOG = logging.getLogger("autograder.nbgrader")  # nbgrader's own tells of every file
_LOG.setLevel(logging.CRITICAL)


@contextmanager
def one_transaction(gradebook: Gradebook) -> Iterator[None]:
    """All or nothing of what is done inside, although nbgrader's API commits after every step.

    Nothing can be done inside after an error of the database. What was read inside is of no use afterwards.
    """
    gradebook.db.remove()
    try:
        with _without_warnings(), gradebook.engine.begin() as connection:
            session = gradebook.db(bind=connection, join_transaction_mode="rollback_only", expire_on_commit=False)
            yield
            session.flush()
    finally:
        gradebook.db.remove()


def generate_assignment(coursedir: CourseDirectory, config: Config) -> None:
    """As the command does, over what is there. Errors: NbGraderException, RuntimeError."""
    converter = GenerateAssignment(coursedir=coursedir, config=config, force=True)
    converter.log = _LOG
    with _without_warnings():
        converter.start()


class GradedFolders:
    """The folders that `nbgrader autograde` leaves of one exercise."""

    def __init__(self, coursedir: CourseDirectory, config: Config) -> None:
        self._coursedir = coursedir
        self._slug = str(coursedir.assignment_id)
        self._converter = Autograde(coursedir=coursedir, config=config)
        self._converter.log = _LOG

    def notebook(self, student: str) -> Path:
        """Where a student's graded notebook is."""
        return self._path(self._coursedir.autograded_directory, student) / f"{self._slug}.ipynb"

    def write(self, student: str, notebook: NotebookNode) -> None:
        """Put the notebook, the files that came with it, and the course's own over these in the place of an older one.

        Errors: OSError.
        """
        graded = self.notebook(student)
        shutil.rmtree(graded.parent, ignore_errors=True)
        graded.parent.mkdir(parents=True)
        submitted = self._path(self._coursedir.submitted_directory, student)
        source = self._path(self._coursedir.source_directory, ".")
        theirs = {str(source / name) for name in self._converter.exclude_overwriting.get(self._slug, [])}
        _copy(self._files(submitted), submitted, graded.parent)
        _copy(self._files(source) - theirs, source, graded.parent)
        graded.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
        self._converter.set_permissions(self._slug, student)

    def _path(self, directory: str, student: str) -> Path:
        return Path(self._coursedir.format_path(directory, student, self._slug))

    def _files(self, folder: Path) -> set[str]:
        return set(find_all_files(str(folder), [*self._coursedir.ignore, "*.ipynb"]))


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


def automatic_score(cell: NotebookNode) -> float | None:
    """The points that nbgrader reads from a grade cell; None where a person must look."""
    score: float | None = determine_grade(cell, _LOG)[0]
    return score


def is_untouched(cell: NotebookNode) -> bool:
    """Whether a cell for an answer is as it was released."""
    return bool(cell.metadata.nbgrader.get("checksum") == compute_checksum(cell))


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


def _copy(files: set[str], source: Path, target: Path) -> None:
    for file in sorted(files):
        copy = target / os.path.relpath(file, source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        shutil.copy(file, copy)


def _without_warnings() -> warnings.catch_warnings[None]:
    return warnings.catch_warnings(action="ignore", category=sqlalchemy.exc.SAWarning)
