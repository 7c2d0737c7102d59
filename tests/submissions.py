"""Sample submissions, made from an exercise folder as a student would: the released notebook with cells filled in."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.build import Built


def solved(built: Built) -> NotebookNode:
    """The released notebook with every reference solution in it, and an answer to each free-text question."""
    notebook = nbformat.from_dict(built.release)
    reference = {cell.id: cell for cell in built.reference.cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            source = reference[cell.id].source
            cell.source = "\n".join(line for line in source.splitlines() if "### " not in line)
    return notebook


def replace_functions(notebook: NotebookNode, source: str) -> NotebookNode:
    """`notebook` with the functions that `source` defines in the place of its own; the rest of `source` before them."""
    tree = ast.parse(source)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    docstring_or_declaration = (ast.Expr, ast.Assign)
    rest = [node for node in tree.body if node not in functions.values()]
    rest = [
        node
        for node in rest
        if not isinstance(node, docstring_or_declaration) or (isinstance(node, ast.Assign) and not _declares(node))
    ]
    helpers = "\n".join(_text(source, node) for node in rest)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code":
            cell.source, placed = _with_functions(cell.source, functions, source)
            if placed and helpers:
                cell.source, helpers = f"{helpers}\n\n\n{cell.source}", ""
            functions = {name: node for name, node in functions.items() if name not in placed}
            if placed and functions and not _is_defined_elsewhere(notebook, functions):
                extra = "\n\n\n".join(_text(source, node) for node in functions.values())
                cell.source, functions = f"{extra}\n\n\n{cell.source}", {}
    return notebook


def _declares(node: ast.Assign) -> bool:
    return isinstance(node.targets[0], ast.Name) and node.targets[0].id in ("hint", "loses")


def _text(source: str, node: ast.stmt) -> str:
    decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", [])]
    return "\n".join(source.splitlines()[min([node.lineno, *decorators]) - 1 : node.end_lineno])


def _is_defined_elsewhere(notebook: NotebookNode, functions: dict[str, ast.FunctionDef]) -> bool:
    return any(f"def {name}(" in cell.source for cell in notebook.cells for name in functions)


def _with_functions(cell: str, functions: dict[str, ast.FunctionDef], source: str) -> tuple[str, list[str]]:
    lines = cell.splitlines()
    placed = []
    for node in reversed(ast.parse(cell).body):
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            lines[node.lineno - 1 : node.end_lineno] = _text(source, functions[node.name]).splitlines()
            placed.append(node.name)
    return "\n".join(lines), placed


def known_wrong(built: Built) -> list[Path]:
    return sorted((built.exercise.folder / "wrong").glob("*.py"))


def other_right(built: Built) -> list[Path]:
    return sorted((built.exercise.folder / "right").glob("*.py"))


def declared_losses(path: Path) -> list[str]:
    """The tasks that a known-wrong solution says it loses."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "loses":
            return list(ast.literal_eval(node.value))
    raise ValueError(f"{path} declares no losses")
