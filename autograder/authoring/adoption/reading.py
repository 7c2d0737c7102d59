"""The cells of a plain nbgrader source notebook, each with what it is for, and without the notebook's own commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_locked, is_solution, is_task

from autograder.authoring.adoption.cells import first_line

Kind = Literal["given", "solution", "test", "answer", "task"]

_HARMLESS_MAGIC = re.compile(r"^[ \t]*%(matplotlib|load_ext|autoreload|pylab|config)\b.*\n?", re.MULTILINE)
_MAGIC = re.compile(r"^[ \t]*[%!].*\n?", re.MULTILINE)
_CELL_MAGIC = re.compile(r"^\s*%%(\w+).*\n?")
_RUNS_THE_CELL = ("time", "timeit", "capture", "prun")
_LIKE_A_MARKER = re.compile(r"^(\s*)#\s*%%+", re.MULTILINE)


@dataclass
class Cell:
    """kind: "answer" and "task" are for a person to grade. name: its grade_id."""

    kind: Kind
    is_code: bool
    name: str
    points: float
    source: str
    is_locked: bool = False


@dataclass
class Read:
    """left: what is not moved or needs a hand, in sentences."""

    cells: list[Cell] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def read(notebook: NotebookNode) -> Read:
    """The cells of a source notebook."""
    done = Read()
    for cell in notebook.cells:
        first = first_line(cell.source)
        if cell.cell_type == "raw":
            done.left.append(f"a raw cell is not moved: {first}")
            continue
        if cell.get("attachments"):
            done.left.append(f"the pictures inside a text are not moved; make files of them: {first}")
        marks = cell.metadata.get("nbgrader", {})
        kind, name = _kind(cell), str(marks.get("grade_id", ""))
        is_code = cell.cell_type == "code"
        source = cell.source
        if is_code:
            source, commands = _without_commands(source, keeps=kind == "test")
            done.left += [f"a command of the notebook is not moved: {one}" for one in commands]
        points = float(marks.get("points") or 0)
        done.cells.append(Cell(kind, is_code, name, points, source, bool(is_locked(cell))))
    return done


def _kind(cell: NotebookNode) -> Kind:
    if is_task(cell):
        return "task"
    if is_grade(cell) and is_solution(cell):
        return "answer"
    if cell.cell_type != "code":
        return "given"
    return "test" if is_grade(cell) else "solution" if is_solution(cell) else "given"


def _without_commands(source: str, keeps: bool) -> tuple[str, list[str]]:
    """A code cell as Python, and its commands that do something. keeps: whether those stay, for a person to see."""
    source = _HARMLESS_MAGIC.sub("", source)
    if found := _CELL_MAGIC.match(source):
        if found[1] not in _RUNS_THE_CELL:
            return ("", [first_line(source)]) if not keeps else (source, [])
        source = source[found.end() :]
    commands = [] if keeps else list(_commands(source))
    kept = _MAGIC.sub("", source) if commands else source
    return _LIKE_A_MARKER.sub(r"\1#", kept), commands


def _commands(source: str) -> Iterator[str]:
    yield from (found[0].strip() for found in _MAGIC.finditer(source))
