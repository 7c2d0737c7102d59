"""Plain nbgrader assignments for tests: source notebooks of a few cells, and what students make of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum, is_locked
from traitlets.config import Config

from autograder.course.nbgrader_rules import KnownCell, KnownNotebook, NbgraderRules
from autograder.exercise.definition import Limits
from autograder.grading.plain import PlainAssignment, PlainTask

PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}
SMALL = Limits(cpu_seconds=2, wall_seconds=20, total_cpu_seconds=20, total_wall_seconds=60, memory=512)


def code(source: str, name: str = "") -> NotebookNode:
    """A given cell."""
    return nbformat.v4.new_code_cell(source, id=name or f"given-{abs(hash(source)) % 10**8}")


def solution(name: str, source: str) -> NotebookNode:
    """A cell whose text students write."""
    return _marked(nbformat.v4.new_code_cell(source, id=name), solution=True)


def test(name: str, points: float, source: str) -> NotebookNode:
    """A cell that is scored by its outputs."""
    return _marked(nbformat.v4.new_code_cell(source, id=name), grade=True, locked=True, points=points)


test.__test__ = False  # type: ignore[attr-defined]


def by_hand(name: str, points: float, source: str, kind: str = "markdown") -> NotebookNode:
    """An answer, text or code, that a person reads."""
    make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
    return _marked(make(source, id=name), grade=True, solution=True, points=points)


def task(name: str, points: float, source: str) -> NotebookNode:
    """A task that is answered in cells of the students' own."""
    return _marked(nbformat.v4.new_markdown_cell(source, id=name), task=True, locked=True, points=points)


def locked(name: str, source: str) -> NotebookNode:
    """A cell of the course's that is put back."""
    return _marked(nbformat.v4.new_code_cell(source, id=name), locked=True)


def notebook(*cells: NotebookNode, **kernelspec: str) -> NotebookNode:
    """A notebook of copies of these cells."""
    metadata = {"kernelspec": PYTHON | kernelspec}
    return nbformat.v4.new_notebook(cells=[copy.deepcopy(cell) for cell in cells], metadata=metadata)


def with_texts(source: NotebookNode, **texts: str) -> NotebookNode:
    """A copy in which cells have other texts, by name; `-` in a name is `_` here."""
    changed = copy.deepcopy(source)
    for cell in changed.cells:
        cell.source = texts.get(cell.id.replace("-", "_"), cell.source)
    return changed


def without(source: NotebookNode, name: str) -> NotebookNode:
    """A copy without a cell."""
    changed = copy.deepcopy(source)
    changed.cells = [cell for cell in changed.cells if cell.id != name]
    return changed


def raw(source: NotebookNode) -> bytes:
    """As it is handed in."""
    return nbformat.writes(source).encode()


def assignment(
    *sources: NotebookNode,
    names: tuple[str, ...] = ("plain",),
    limits: Limits = SMALL,
    files: Mapping[str, bytes] | None = None,
    config: Config | None = None,
) -> PlainAssignment:
    """An assignment of these notebooks, as it would come from a gradebook."""
    known = {name: KnownNotebook(_known(source), "") for name, source in zip(names, sources, strict=True)}
    tasks = {
        name: tuple(PlainTask(one.name, one.max_score, one.solution or one.task) for one in of.cells if one.max_score)
        for name, of in known.items()
    }
    rules = NbgraderRules.of("plain", known, config or Config())
    return PlainAssignment(
        "plain", "version", 0, tasks, files or {}, (".ipynb_checkpoints",), ("numpy", "matplotlib"), limits, rules
    )


def write_source(folder: Path, **notebooks: NotebookNode) -> None:
    """Write the source of an assignment."""
    folder.mkdir(parents=True)
    for name, source in notebooks.items():
        (folder / f"{name}.ipynb").write_text(nbformat.writes(source))


def _marked(cell: NotebookNode, **marks: Any) -> NotebookNode:
    none = {"grade": False, "solution": False, "locked": False, "task": False}
    cell.metadata["nbgrader"] = {"schema_version": 3, "grade_id": cell.id, **none, **marks}
    return cell


def _known(source: NotebookNode) -> tuple[KnownCell, ...]:
    return tuple(
        KnownCell(
            cell.id,
            cell.cell_type,
            bool(is_locked(cell)),
            cell.source,
            compute_checksum(cell),
            cell.metadata.nbgrader.get("points"),
            grade=cell.metadata.nbgrader.grade,
            solution=cell.metadata.nbgrader.solution,
            task=cell.metadata.nbgrader.task,
        )
        for cell in source.cells
        if "nbgrader" in cell.metadata
    )
