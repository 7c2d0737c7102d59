"""A submitted notebook, read and mended: whatever the file looks like, its cells in the shape that the course released.

Grade cells and given locked cells always come from the release; only solution cells and the student's own cells are
taken from the file. Everything that had to be mended is a finding.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from nbformat import NotebookNode

from autograder.exercise.definition import Exercise
from autograder.report import Finding
from autograder.submission.document import UnreadableError, read_cells
from autograder.submission.markdown import as_written, inert

_MAX_RENDERED = 200_000  # characters of prose in one notebook: eighty printed pages, rendered in a second


class Role(Enum):
    """What a cell is for. GIVEN and GRADE cells are the course's and cannot be edited."""

    GIVEN = auto()
    GRADE = auto()
    SOLUTION = auto()
    OWN = auto()


@dataclass(frozen=True)
class Cell:
    """One cell. `name` is the release's id of it, empty for a cell of the student's own.

    submitted: whether the file had it; False for a cell that was put back.
    """

    kind: str
    source: str
    role: Role = Role.OWN
    name: str = ""
    points: object = None
    submitted: bool = True

    @property
    def runs(self) -> bool:
        """Whether the student's process runs it. A stub put back must not hide a function that is written elsewhere."""
        return self.kind == "code" and self.role is not Role.GRADE and (self.submitted or self.role is Role.GIVEN)


@dataclass(frozen=True)
class Submission:
    """The mended cells in the student's order, and what was found on the way."""

    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...] = ()
    readable: bool = True


def read_submission(raw: bytes, exercise: Exercise, release: NotebookNode) -> Submission:
    """The submission in the bytes of a notebook file; of an unreadable one, the release's own cells and a finding."""
    try:
        cells, findings = _parse(raw)
    except UnreadableError as error:
        unreadable = Finding("unreadable", f"the file cannot be read: {error}")
        return replace(as_released(release), findings=(unreadable,), readable=False)
    mender = _Mender(exercise, list(_released_cells(release)))
    return Submission(tuple(mender.mend(cells)), (*findings, *mender.findings))


def as_released(release: NotebookNode) -> Submission:
    """What there is of a submission of which nothing could be read: the release's own cells."""
    return Submission(tuple(replace(cell, submitted=False) for cell in _released_cells(release)))


def to_notebook(submission: Submission, release: NotebookNode) -> NotebookNode:
    """The mended submission in the release's own format and metadata, without outputs."""
    released = {cell.id: cell for cell in release.cells}
    released_texts = {cell.source for cell in release.cells}
    rendered = 0
    notebook = NotebookNode(nbformat=4, nbformat_minor=5, metadata=copy.deepcopy(release.metadata), cells=[])
    for number, cell in enumerate(submission.cells):
        made = NotebookNode(id=cell.name or f"own-{number}", cell_type=cell.kind, source=cell.source)
        if cell.kind != "code" and cell.source not in released_texts:
            rendered += len(cell.source)
            show = inert if rendered <= _MAX_RENDERED else as_written
            made.update(cell_type="markdown", source=show(cell.source))
        made.metadata = copy.deepcopy(released[cell.name].metadata) if cell.name else NotebookNode()
        if cell.kind == "code":
            made.update(outputs=[], execution_count=None)
        notebook.cells.append(made)
    return notebook


def _released_cells(release: NotebookNode) -> Iterator[Cell]:
    for cell in release.cells:
        marks = cell.metadata.get("nbgrader")
        if marks:
            role = Role.SOLUTION if marks.solution else Role.GRADE if marks.grade else Role.GIVEN
            yield Cell(cell.cell_type, cell.source, role, cell.id, marks.get("points"))


def _parse(raw: bytes) -> tuple[list[Cell], list[Finding]]:
    cells, is_old = read_cells(raw)
    findings = [Finding("upgraded", "the file is of an old notebook format")] if is_old else []
    return [_parse_cell(cell) for cell in cells if isinstance(cell, dict)], findings


def _parse_cell(cell: dict[str, Any]) -> Cell:
    kind = cell.get("cell_type")
    source = cell.get("source", cell.get("input", ""))  # "input" up to format 3
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    marks = marks if isinstance(marks, dict) else {}
    name = marks.get("grade_id") or cell.get("id")
    return Cell(
        kind=kind if kind in ("code", "markdown", "raw") else "raw",
        source=_clean(source) if isinstance(source, str) else "",
        name=name if isinstance(name, str) else "",
        points=marks.get("points"),
    )


def _clean(source: str) -> str:
    """The text with one kind of line end and no lone surrogate, which no file could hold."""
    unified = source.replace("\r\n", "\n").replace("\r", "\n")
    return unified.encode("utf-8", "replace").decode("utf-8")


class _Mender:
    """Fits parsed cells to the released ones."""

    def __init__(self, exercise: Exercise, expected: list[Cell]) -> None:
        self.findings: list[Finding] = []
        self._exercise = exercise
        self._expected = {cell.name: cell for cell in expected}
        self._order = [cell.name for cell in expected]

    def mend(self, cells: list[Cell]) -> list[Cell]:
        cells = self._recognise(cells)
        mended: list[Cell] = []
        seen: set[str] = set()
        for cell in cells:
            if cell.name not in self._expected:
                mended.append(replace(cell, name="", points=None))
            elif cell.name not in seen:
                seen.add(cell.name)
                mended.append(self._fitted(cell))
            else:
                mended += self._duplicate(cell)
        self._put_back_deleted(mended, seen)
        return mended

    def _recognise(self, cells: list[Cell]) -> list[Cell]:
        """Name the cells whose metadata some tool has stripped, by their text."""
        named = {cell.name for cell in cells}
        lost = [cell for name, cell in self._expected.items() if name not in named]
        return [
            next((replace(cell, name=one.name) for one in lost if self._matches(cell, one)), cell) for cell in cells
        ]

    def _matches(self, cell: Cell, lost: Cell) -> bool:
        if cell.name in self._expected or cell.kind != lost.kind:
            return False
        if lost.role is not Role.SOLUTION:
            return cell.source.strip() == lost.source.strip()
        names = re.findall(r"^def (\w+)", lost.source, re.MULTILINE)
        return bool(names) and all(re.search(rf"^def {name}\b", cell.source, re.MULTILINE) for name in names)

    def _fitted(self, cell: Cell) -> Cell:
        expected = self._expected[cell.name]
        self._check_points(cell, expected)
        if expected.role is Role.SOLUTION:
            if cell.kind != expected.kind:
                self._find("edited", f"the type of the cell `{cell.name}` was changed; it counts as what it was")
            return replace(expected, source=cell.source)
        if cell.source.strip() != expected.source.strip() or cell.kind != expected.kind:
            self._find("edited", f"the cell `{cell.name}` was edited; the course's own was used")
        return expected

    def _check_points(self, cell: Cell, expected: Cell) -> None:
        if cell.points is not None and cell.points != expected.points:
            self._find("edited", f"the points of the cell `{cell.name}` were changed; the course's own count")

    def _duplicate(self, cell: Cell) -> list[Cell]:
        self._find("duplicated", f"the cell `{cell.name}` is there more than once; the first one counts as it")
        expected = self._expected[cell.name]
        own = expected.role is Role.SOLUTION or cell.source.strip() != expected.source.strip()
        return [replace(cell, name="", points=None)] if own else []

    def _put_back_deleted(self, mended: list[Cell], seen: set[str]) -> None:
        before = ""
        for name in self._order:
            if name not in seen:
                place = next((number + 1 for number, cell in enumerate(mended) if before and cell.name == before), 0)
                mended.insert(place, replace(self._expected[name], submitted=False))
                self._find("deleted", f"the cell `{name}` is missing; the course's own was put in its place")
            before = name

    def _find(self, kind: str, message: str) -> None:
        self.findings.append(Finding(kind, message))
