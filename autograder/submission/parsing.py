"""The JSON of a notebook file, of whatever format and tool, as cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.report import Finding
from autograder.submission.cells import Cell
from autograder.submission.document import read_cells

_DEEPEST_HEADING = 6


@dataclass(frozen=True)
class Document:
    """A file's cells. marks: the names that nbgrader's metadata give to cells."""

    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]
    marks: frozenset[str]


def parse(raw: bytes) -> Document:
    """Read a file. Errors: UnreadableError."""
    found, is_old = read_cells(raw)
    findings = (Finding("upgraded", "the file is of an old notebook format"),) if is_old else ()
    cells = [cell for cell in found if isinstance(cell, dict)]
    marks = frozenset(name for cell in cells if isinstance(name := _marks(cell).get("grade_id"), str) and name)
    return Document(tuple(map(_cell, cells)), findings, marks)


def _cell(cell: dict[str, Any]) -> Cell:
    kind, source = cell.get("cell_type"), _source(cell)
    if kind == "heading" and isinstance(level := cell.get("level"), int):  # up to format 3
        kind, source = "markdown", f"{'#' * max(1, min(level, _DEEPEST_HEADING))} {source}"
    marks = _marks(cell)
    name = marks.get("grade_id") or cell.get("id") or _metadata(cell).get("id")  # the last is Colab's
    return Cell(
        kind=kind if kind in ("code", "markdown", "raw") else "raw",
        source=source,
        name=name if isinstance(name, str) else "",
    )


def _metadata(cell: dict[str, Any]) -> dict[str, Any]:
    metadata = cell.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _marks(cell: dict[str, Any]) -> dict[str, Any]:
    marks = _metadata(cell).get("nbgrader")
    return marks if isinstance(marks, dict) else {}


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))  # "input" up to format 3
    if isinstance(source, list):
        lines = [part for part in source if isinstance(part, str)]
        has_ends = any(line.endswith(("\n", "\r")) for line in lines[:-1])
        source = ("" if has_ends else "\n").join(lines)
    return _clean(source) if isinstance(source, str) else ""


def _clean(source: str) -> str:
    """The text with one kind of line end and no lone surrogate, which no file could hold."""
    unified = source.replace("\r\n", "\n").replace("\r", "\n")
    return unified.encode("utf-8", "replace").decode("utf-8")
