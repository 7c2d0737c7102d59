"""Submissions made from an exercise folder: the reference filled in, a known-wrong or other right solution in its place.

`wrong/*.py` and `right/*.py` are read here. The first line of a file's docstring says what it is; a wrong file also
declares, as plain literals, `hint` (for the student who holds the misconception) and `loses` (the tasks it must lose).
Its functions take the place of the reference's of the same names; the rest of the file comes along.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.build import Built
from autograder.errors import ExerciseError
from autograder.exercise import Exercise

_MARKERS = ("### BEGIN SOLUTION", "### END SOLUTION")
_DECLARATIONS = ("hint", "loses")


@dataclass(frozen=True)
class Variant:
    """One file of `wrong/` or `right/`. `code` is the file without its docstring and declarations."""

    name: str
    title: str
    code: str
    functions: tuple[str, ...]
    hint: str = ""
    loses: tuple[str, ...] = ()


def wrong_variants(exercise: Exercise) -> list[Variant]:
    """The known-wrong solutions. Errors: ExerciseError where one lacks its hint or its losses, or names no task."""
    variants = [_read(path) for path in sorted((exercise.folder / "wrong").glob("*.py"))]
    for variant in variants:
        where = exercise.folder / "wrong" / f"{variant.name}.py"
        if not (variant.hint and variant.loses):
            raise ExerciseError(f'{where}: `hint = "..."` and `loses = [...]` are needed')
        if unknown := [task for task in variant.loses if task not in exercise.automatic]:
            raise ExerciseError(f"{where}: loses `{unknown[0]}`, which is no automatic task")
    return variants


def right_variants(exercise: Exercise) -> list[Variant]:
    """The other right solutions."""
    return [_read(path) for path in sorted((exercise.folder / "right").glob("*.py"))]


def solved(built: Built) -> NotebookNode:
    """The released notebook with every reference solution in it, and an answer to each free-text question."""
    notebook = nbformat.from_dict(built.release)
    reference = {cell.id: cell.source for cell in built.reference.cells}
    for cell in _solution_cells(notebook):
        lines = reference[cell.id].splitlines()
        cell.source = "\n".join(line for line in lines if line.strip() not in _MARKERS)
    return notebook


def solved_by(built: Built, variant: Variant) -> NotebookNode:
    """The solved notebook with the variant's functions in the place of the reference's."""
    notebook = solved(built)
    code = variant.code
    for cell in _solution_cells(notebook):
        if cell.cell_type == "code" and (kept := _without(cell.source, variant.functions)) != cell.source:
            cell.source, code = f"{kept}\n\n\n{code}".strip(), ""
    return notebook


def _solution_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")]


def _read(path: Path) -> Variant:
    source = path.read_text(encoding="utf-8")
    try:
        tree = ast.parse(source)
        declared = {
            name: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and (name := _declares(node))
        }
    except (SyntaxError, ValueError) as error:
        raise ExerciseError(f"{path}: {error}") from None
    docstring = ast.get_docstring(tree) or ""
    if not docstring:
        raise ExerciseError(f"{path}: a docstring must say what the file is")
    apart = [node for node in tree.body if _declares(node)] + tree.body[:1]
    return Variant(
        name=path.stem,
        title=docstring.splitlines()[0],
        code=_cut(source, apart),
        functions=tuple(node.name for node in tree.body if isinstance(node, ast.FunctionDef)),
        hint=declared.get("hint", ""),
        loses=tuple(declared.get("loses", ())),
    )


def _declares(node: ast.stmt) -> str:
    """Which declaration a statement is, if one."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id if node.targets[0].id in _DECLARATIONS else ""
    return ""


def _without(source: str, functions: tuple[str, ...]) -> str:
    body = ast.parse(source).body
    return _cut(source, [node for node in body if isinstance(node, ast.FunctionDef) and node.name in functions])


def _cut(source: str, nodes: list[ast.stmt]) -> str:
    gone = {line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    kept = [line for number, line in enumerate(source.splitlines(), start=1) if number not in gone]
    return "\n".join(kept).strip() if gone else source
