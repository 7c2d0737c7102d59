"""The modules that students write beside the notebook, `submit` in exercise.toml.

In the built notebooks the code of a module is cells that name its file, before all other cells: so what is done with
solutions is done with them. Where a notebook becomes a file these cells are left out, and joined they are the module.
A module is handed in as a file, and there is no telling its cells apart any more.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import PurePath

import nbformat
from nbformat import NotebookNode

from autograder.checks.modules import without_imports as without_imports
from autograder.exercise.uses import name_at_margin

FILE = "file"  # the key of a cell's metadata
_BETWEEN = "\n\n\n"  # two cells of a module


def file_of(cell: NotebookNode) -> str:
    """The module that a cell is part of; empty for one of the notebook's own."""
    return str(cell.metadata.get(FILE, ""))


def modules_in(notebook: NotebookNode) -> dict[str, str]:
    """The text of each module, by the name of its file."""
    parts: dict[str, list[str]] = {}
    for cell in notebook.cells:
        if file := file_of(cell):
            parts.setdefault(file, []).append(cell.source)
    return {file: f"{_BETWEEN.join(sources)}\n" for file, sources in parts.items()}


def without_modules(notebook: NotebookNode) -> NotebookNode:
    """The notebook as it is written to its file."""
    alone = nbformat.from_dict({**notebook, "cells": []})
    alone.cells = [cell for cell in notebook.cells if not file_of(cell)]
    return alone


def module_name(file: str) -> str:
    """The name by which `import` knows a module."""
    return PurePath(file).stem


def file_with(name: str, notebook: NotebookNode) -> str:
    """The module that defines a function or class; empty where it is the notebook's own."""
    found = (
        file
        for file, text in modules_in(notebook).items()
        for node in ast.parse(text).body
        if name_at_margin(node) == name
    )
    return next(found, "")


def imported(source: str, files: Collection[str]) -> dict[str, str]:
    """The names that a cell of the course's takes from these modules, with the file of each."""
    known = {module_name(file): file for file in files}
    found = (node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom) and node.module in known)
    return {alias.name: known[str(node.module)] for node in found for alias in node.names}


def imported_by(suite: str, files: Collection[str]) -> Iterator[str]:
    """What a suite imports of these modules, which are a student's: it finds there the course's own."""
    known = {module_name(file) for file in files}
    for node in ast.walk(ast.parse(suite)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        if known & {*names}:
            yield f"`{ast.unparse(node)}`: students write that; take it from `student`"


def faults(reference: NotebookNode, asked: Collection[str]) -> Iterator[str]:
    """What keeps modules and notebook from being one text, in which a name means the same everywhere.

    asked: the functions of tasks. Errors: SyntaxError.
    """
    files = modules_in(reference)
    marks = [(cell, cell.metadata.get("nbgrader", {})) for cell in reference.cells if cell.cell_type == "code"]
    parts = [(cell, ast.parse(cell.source)) for cell, one in marks if file_of(cell) or _is_written(one)]
    setup = next(ast.parse(cell.source) for cell, _ in marks if cell.id == "setup")
    owners: dict[str, str] = {}
    for cell, code in parts:
        file = file_of(cell) or "the notebook"
        for name in filter(None, map(name_at_margin, code.body)):
            if owners.setdefault(name, file) != file:
                yield f"`{name}` is defined in {owners[name]} and in {file}; choose another name for one of them"
    known = {module_name(file): file for file in files}
    brought = imported(ast.unparse(setup), files)
    for code in (setup, *(code for _, code in parts)):
        yield from _odd_imports(code, known, owners)
    taken = [bool(_taken(node, known)) for node in setup.body]
    if sorted(taken) != taken:
        yield "the setup cell must import from modules that students write at its end: where it cannot, it ends there"
    for name in asked:
        if name not in brought and owners.get(name) in files:
            yield f"the setup cell must import `{name}` from {owners[name]}, as a task asks for it"


def _is_written(marks: dict[str, object]) -> bool:
    """Whether a cell's code is a task's, and no person's to grade: that may hold what is no Python."""
    return bool(marks.get("solution") and not marks.get("grade"))


def _odd_imports(code: ast.Module, known: dict[str, str], owners: dict[str, str]) -> Iterator[str]:
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__" and known:
            yield f"`{ast.unparse(node)}`: leave that out; modules and notebook are read as one text"
        elif isinstance(node, ast.Import) and any(alias.name in known for alias in node.names):
            yield f"`{ast.unparse(node)}`: write `from ... import ...` for what students write"
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            if node not in code.body or any(alias.asname for alias in node.names):
                yield f"`{ast.unparse(node)}`: import what students write at the margin, under its own name"
            missing = [name for name in _taken(node, known) if owners.get(name) != known[node.module]]
            yield from (f"`{ast.unparse(node)}`: there is no `{name}` in {known[node.module]}" for name in missing)


def _taken(node: ast.stmt, known: Collection[str]) -> list[str]:
    """The names that a statement imports from a module that students write."""
    return [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) and node.module in known else []
