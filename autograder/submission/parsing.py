"""The JSON of a notebook file, of whatever format and tool, as cells."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from autograder.report import Finding
from autograder.submission.cells import Cell
from autograder.submission.handed_in import MAX_BYTES

_MAX_CELLS = 2000
_DEEPEST_HEADING = 6


@dataclass(frozen=True)
class Document:
    """A file's cells. marks: the names that nbgrader's metadata give to cells."""

    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]
    marks: frozenset[str]


def parse(raw: bytes) -> Document:
    """Read a file. Errors: ValueError, RecursionError, LookupError, TypeError, AttributeError: it is no notebook."""
    found, is_old = _read(raw)
    findings = (Finding("upgraded", "the file is of an old notebook format"),) if is_old else ()
    cells = [cell for cell in found if isinstance(cell, dict)]
    marks = frozenset(name for cell in cells if isinstance(name := _marks(cell).get("grade_id"), str) and name)
    return Document(tuple(map(_cell, cells)), findings, marks)


def _read(raw: bytes) -> tuple[list[Any], bool]:
    """The cells as JSON, and whether they are of an old format."""
    if len(raw) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 20} MiB")
    document = json.loads(raw.decode("utf-8-sig"))
    if not isinstance(document, dict):
        raise ValueError("it holds no JSON object")
    cells, is_old = document.get("cells"), "worksheets" in document
    if is_old:
        cells = [cell for sheet in document["worksheets"] for cell in sheet["cells"]]
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells")
    if len(cells) > _MAX_CELLS:
        raise ValueError(f"it has more than {_MAX_CELLS} cells")
    return cells, is_old


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
        points=marks.get("points"),
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
