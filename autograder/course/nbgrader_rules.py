"""nbgrader's own steps of grading a notebook, for plain assignments: without its kernel, its folders and its gradebook.

The classes are nbgrader's. What they would look up in the gradebook they are given as plain data, so that any process
can take them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbconvert.preprocessors import ClearMetadataPreprocessor, Preprocessor
from nbformat import NotebookNode
from nbgrader.api import MissingEntry, Notebook
from nbgrader.nbgraderformat import SCHEMA_VERSION
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    Execute,
    IgnorePattern,
    LimitOutput,
    NbGraderPreprocessor,
    OverwriteCells,
)
from traitlets.config import Config

from autograder.course.nbgrader_internals import QUIET_LOG, automatic_score
from autograder.report import Finding
from autograder.scrub import plain_line

_AFTER = (IgnorePattern, ClearMetadataPreprocessor, LimitOutput)


@dataclass(frozen=True)
class KnownCell:
    """A cell of a source notebook. max_score: None where nothing is earned by it."""

    name: str
    cell_type: str
    locked: bool
    source: str
    checksum: str
    max_score: float | None
    grade: bool
    solution: bool
    task: bool

    @property
    def marks(self) -> NotebookNode:
        """Its metadata in a released notebook."""
        what_for = {"grade": self.grade, "solution": self.solution, "task": self.task, "locked": self.locked}
        marks = {"grade_id": self.name, "cell_type": self.cell_type, "checksum": self.checksum, **what_for}
        worth = {} if self.max_score is None else {"points": self.max_score}
        return NotebookNode(marks | worth | {"schema_version": SCHEMA_VERSION})


@dataclass(frozen=True)
class KnownNotebook:
    """What the gradebook has of a source notebook. kernelspec: as JSON."""

    cells: tuple[KnownCell, ...]
    kernelspec: str

    @classmethod
    def of(cls, notebook: Notebook) -> KnownNotebook:
        graded = {cell.name: float(cell.max_score) for cell in (*notebook.grade_cells, *notebook.task_cells)}
        kinds = {
            kind: {cell.name for cell in cells}
            for kind, cells in (
                ("grade", notebook.grade_cells),
                ("solution", notebook.solution_cells),
                ("task", notebook.task_cells),
            )
        }
        cells = tuple(
            KnownCell(
                cell.name,
                cell.cell_type,
                bool(cell.locked),
                cell.source or "",
                cell.checksum or "",
                graded.get(cell.name),
                **{kind: cell.name in names for kind, names in kinds.items()},
            )
            for cell in notebook.source_cells
        )
        return cls(cells, notebook.kernelspec or "")

    # What `OverwriteCells` asks of nbgrader's own object.

    @property
    def source_cells(self) -> Sequence[KnownCell]:
        return self.cells

    @property
    def grade_cells(self) -> Sequence[KnownCell]:
        return [cell for cell in self.cells if cell.grade]

    @property
    def solution_cells(self) -> Sequence[KnownCell]:
        return [cell for cell in self.cells if cell.solution]

    @property
    def task_cells(self) -> Sequence[KnownCell]:
        return [cell for cell in self.cells if cell.task]


@dataclass(frozen=True)
class NbgraderRules:
    """As `grading.plain.Rules` has it. config: what concerns the steps."""

    assignment: str
    notebooks: Mapping[str, KnownNotebook]
    config: Config

    @classmethod
    def of(cls, assignment: str, notebooks: Mapping[str, KnownNotebook], config: Config) -> NbgraderRules:
        """config: the course's, whatever else is in it."""
        sections = {
            one.__name__ for step in (ClearOutput, DeduplicateIds, OverwriteCells, *_AFTER) for one in step.__mro__
        }
        return cls(assignment, notebooks, Config({name: config[name] for name in sorted(sections) if name in config}))

    def mended(self, notebook: NotebookNode, name: str) -> tuple[NotebookNode, tuple[Finding, ...]]:
        known = self.notebooks[name]
        findings = tuple(_with_own_marks(notebook, {cell.name: cell for cell in known.cells}))
        for step in (ClearOutput, DeduplicateIds):
            notebook = self._taken(step(config=self.config), notebook)
        _without_empty_marks(notebook)
        if kernelspec := json.loads(known.kernelspec or "null"):
            notebook.metadata["kernelspec"] = kernelspec
        notebook = self._taken(_OverwriteCells(_Gradebook(known), config=self.config), notebook, name)
        return self._taken(CheckCellMetadata(), notebook), findings

    def finished(self, notebook: NotebookNode) -> NotebookNode:
        for step in _AFTER:
            notebook = self._taken(step(config=self.config), notebook)
        return notebook

    def score(self, cell: NotebookNode) -> float | None:
        return automatic_score(cell)

    def _taken(self, step: Preprocessor, notebook: NotebookNode, name: str = "") -> NotebookNode:
        step.log = QUIET_LOG
        return step(notebook, {"nbgrader": {"notebook": name, "assignment": self.assignment, "db_url": ""}})[0]


def seconds_for_a_cell(config: Config) -> int | None:
    """How long nbgrader lets one cell run; None for as long as it likes."""
    seconds = Execute(config=config).timeout
    return seconds if seconds and seconds > 0 else None


class _Gradebook:
    """What `OverwriteCells` asks of the gradebook."""

    def __init__(self, known: KnownNotebook) -> None:
        self._known = known
        self._cells = {cell.name: cell for cell in known.cells}

    def find_source_cell(self, name: str, notebook: str, assignment: str) -> KnownCell:
        if name not in self._cells:
            raise MissingEntry(name)
        return self._cells[name]

    find_graded_cell = find_source_cell

    def find_notebook(self, name: str, assignment: str) -> KnownNotebook:
        return self._known


class _OverwriteCells(OverwriteCells):
    """nbgrader's, with the gradebook handed over instead of opened."""

    def __init__(self, gradebook: _Gradebook, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.gradebook = gradebook

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        self.notebook_id = resources["nbgrader"]["notebook"]
        self.assignment_id = resources["nbgrader"]["assignment"]
        notebook, resources = NbGraderPreprocessor.preprocess(self, notebook, resources)
        if self.add_missing_cells:
            notebook, resources = self.add_missing_grade_cells(notebook, resources)
            notebook, resources = self.add_missing_task_cells(notebook, resources)
        return notebook, resources


def _with_own_marks(notebook: NotebookNode, known: Mapping[str, KnownCell]) -> Iterator[Finding]:
    """What a cell is for is the course's to say: nbgrader itself puts back its points and its text alone.

    A cell that the course does not know becomes one of the student's own.
    """
    for cell in notebook.cells:
        marks = cell.metadata.pop("nbgrader", {})
        name = marks.get("grade_id", "")
        if source := known.get(name):
            cell.metadata["nbgrader"] = source.marks
        own = source.marks if source else {}
        if any(bool(marks.get(kind)) != bool(own.get(kind)) for kind in ("grade", "solution", "task")):
            yield Finding(
                "edited", f"the marks of the cell `{plain_line(str(name))[:100]}` are not the course's, which count"
            )


def _without_empty_marks(notebook: NotebookNode) -> None:
    """As they are left by `DeduplicateIds`; `CheckCellMetadata` would take them for an old format."""
    for cell in notebook.cells:
        if not cell.metadata.get("nbgrader", True):
            del cell.metadata["nbgrader"]
