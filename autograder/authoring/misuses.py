"""Solutions that use what their task does not allow: the grader has to tell each, whatever the tests say."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from importlib.util import find_spec

from autograder.exercise.built import Built
from autograder.exercise.source import solution_code
from autograder.exercise.uses import name_at_margin
from autograder.exercise.variants import Variant


def misuses(built: Built) -> Iterator[tuple[str, Variant]]:
    """For each task, its reference with each name that it does not allow in each function, class and variable."""
    cells = [cell.source for cell in solution_code(built.reference)]
    written = {name_at_margin(node): node for source in cells for node in ast.parse(source).body}
    for task, rules in built.exercise.automatic.items():
        for forbidden in rules.not_allowed:
            for name in rules.names:
                code = f"import {_module_of(forbidden)}\n\n\n{ast.unparse(_using(forbidden, written[name]))}"
                functions = (name,) if name in rules.functions else ()
                yield task, Variant(f"{name} uses {forbidden}", "", code, functions)


def _using(forbidden: str, node: ast.stmt) -> ast.stmt:
    """A definition that mentions it and does what it did before."""
    node = deepcopy(node)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        first = 1 if ast.get_docstring(node) else 0
        node.body = [*node.body[:first], *ast.parse(forbidden).body, *node.body[first:]]
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
        node.value = ast.parse(f"({forbidden}, {ast.unparse(node.value)})[1]", mode="eval").body
    return node


def _module_of(name: str) -> str:
    """What has to be imported for a dotted name: the longest part of it that is a module, or the first."""
    parts = name.split(".")
    prefixes = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    return next(filter(_is_module, prefixes), parts[0])


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
