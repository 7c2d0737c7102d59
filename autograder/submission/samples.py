"""Notebooks as students of many kinds would hand them in, made from an exercise: solved, solved in part or wrongly."""

from __future__ import annotations

from collections.abc import Collection

import nbformat
from nbformat import NotebookNode

from autograder.exercise.built import Built
from autograder.exercise.modules import modules_in, without_modules
from autograder.exercise.source import BEGIN_SOLUTION, END_SOLUTION, solution_cells, solution_code, task_of
from autograder.exercise.variants import Variant, put_in
from autograder.submission.notebook import Cell, Role, read_submission


def solved(built: Built, tasks: Collection[str] | None = None) -> NotebookNode:
    """The released notebook with the reference solution of `tasks` in it, all by default, those in words included."""
    notebook = nbformat.from_dict(built.release)
    reference = {cell.id: cell.source for cell in built.reference.cells}
    for cell in solution_cells(notebook):
        if tasks is None or task_of(cell) in tasks:
            lines = reference[cell.id].splitlines()
            cell.source = "\n".join(line for line in lines if line.strip() not in (BEGIN_SOLUTION, END_SOLUTION))
    return notebook


def solved_by(built: Built, variant: Variant) -> NotebookNode:
    """The solved notebook with what the variant has in the place of the reference's."""
    notebook = solved(built)
    cells = {cell.id: cell for cell in solution_code(notebook)}
    for name, source in put_in(variant, {name: cell.source for name, cell in cells.items()}).items():
        cells[name].source = source
    return notebook


def graded_cells(notebook: NotebookNode, built: Built) -> tuple[Cell, ...]:
    """The cells of a notebook that its tests depend on: demonstrations and plots take time.

    Where tasks ask for variables, what is given between may be what they are made of.
    """
    everything = bool(built.exercise.variables)
    return tuple(
        cell for cell in all_cells(notebook, built) if everything or not (cell.role is Role.OWN or cell.is_answer)
    )


def all_cells(notebook: NotebookNode, built: Built) -> tuple[Cell, ...]:
    """The cells of a notebook as it is handed in, with its modules beside it."""
    raw, files = handed_in_as(notebook)
    return read_submission(raw, built.exercise, built.release, files).cells


def handed_in_as(notebook: NotebookNode) -> tuple[bytes, dict[str, bytes]]:
    """The bytes of a notebook file, and of the modules beside it."""
    modules = {name: text.encode() for name, text in modules_in(notebook).items()}
    return nbformat.writes(without_modules(notebook)).encode(), modules
