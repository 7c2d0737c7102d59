"""The cells of the texts that staff write, each with its place there and its code."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from autograder.exercise.definition import read_text
from autograder.exercise.markers import lines_of_cells


@dataclass(frozen=True)
class Placed:
    """A cell as Jupytext reads it. line: of its marker; 0 where that cannot be told."""

    cell: NotebookNode
    path: Path
    line: int

    def place(self, line: int = 0) -> str:
        """Where it is, or a line of its source."""
        return f"{self.path}, line {self.line + line}" if self.line else str(self.path)

    @property
    def is_given(self) -> bool:
        """Whether it is code that students do not write."""
        marks = {mark for mark in self.cell.metadata if not mark.startswith("lines_to_")}
        return self.cell.cell_type == "code" and marks <= {"setup"}

    @property
    def fault(self) -> str:
        """Where its code is no Python, and why; empty where it can be read."""
        try:
            parsed(self.cell.source if self.cell.cell_type == "code" else "")
        except SyntaxError as error:
            return f"{self.place(error.lineno or 0)}: {error.msg}"
        return ""


def placed_cells(path: Path) -> list[Placed]:
    """The cells of a text, in order. Errors: ExerciseError where it cannot be read."""
    text = read_text(path)
    cells, lines = jupytext.reads(text, fmt="py:percent").cells, lines_of_cells(text)
    unmarked = [0] * (len(cells) - len(lines))  # what stands above the first marker
    if len(lines) > len(cells):  # a marker in a text between quotes is none
        lines = [0] * len(cells)
    return [Placed(cell, path, line) for cell, line in zip(cells, [*unmarked, *lines], strict=True)]


def parsed(source: str) -> ast.Module:
    """The code of a cell, each line where it stands, with calls in the places of magics. Errors: SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except SyntaxError:
            return ast.parse(_without_magics(source))


def _without_magics(source: str) -> str:
    from IPython.core.inputtransformer2 import TransformerManager  # takes long to import, for what few cells have

    above = len(source) - len(source.lstrip("\n"))  # which the transformer leaves out
    return "\n" * above + str(TransformerManager().transform_cell(source))
