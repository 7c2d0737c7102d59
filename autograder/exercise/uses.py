"""Which names functions of a Python text use, and which of those lead to functions of other tasks."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from autograder.exercise.definition import Exercise


def defined_in(code: ast.Module) -> dict[str, int]:
    """The functions and classes at the margin, with their lines."""
    return {node.name: node.lineno for node in code.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def bound_in(code: ast.Module) -> set[str]:
    """The names that code at the margin binds, in loops and branches, too."""
    left: list[ast.AST] = [*code.body]
    bound: set[str] = set()
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif not isinstance(node, ast.Lambda | ast.comprehension):
            bound |= {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
            left += ast.iter_child_nodes(node)
    return bound


def brought_by(code: ast.Module) -> list[str]:
    """The names that are there once all statements at the margin have run, what they import with them."""
    aliases = [name for node in code.body if isinstance(node, ast.Import | ast.ImportFrom) for name in node.names]
    imported = [(one.asname or one.name).split(".")[0] for one in aliases if one.name != "*"]
    return list(dict.fromkeys([*imported, *(name for node in code.body if (name := name_at_margin(node)))]))


def variable_of(node: ast.stmt) -> str:
    """Which name at the margin a statement gives its value, if one."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def name_at_margin(node: ast.stmt) -> str:
    """What a statement at the margin binds, if it is one name: of a function, a class or a variable."""
    return node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else variable_of(node)


def uses(code: ast.Module) -> dict[str, set[str]]:
    """The names from outside that each function, class and variable at the margin uses."""
    used: dict[str, set[str]] = {}
    for node in code.body:
        if name := name_at_margin(node):
            used[name] = used.get(name, set()) | _used(node)
    return used


def missing_needs(exercise: Exercise, used: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Each automatic task that uses what another one asks for and does not need it, with what is wrong.

    used: by each name of the reference.
    """
    owners = {
        one: [name for name, task in exercise.automatic.items() if one in task.names]
        for task in exercise.automatic.values()
        for one in task.names
    }
    for name, task in exercise.automatic.items():
        needed = {name, *exercise.all_needs(name)}
        for function in sorted(_met(task.names, used, owners) - set(task.names)):
            if not needed & set(owners[function]):
                yield name, f"task `{name}` uses `{function}` of task `{owners[function][0]}`; name that in its `needs`"


def _used(function: ast.stmt) -> set[str]:
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    own = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    own |= {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    return {node.id for node in names} - own


def _met(start: Collection[str], used: Mapping[str, set[str]], owned: Collection[str]) -> set[str]:
    """The owned functions on the ways from `start`: the first on each, for behind it begins another task."""
    met: set[str] = set()
    seen, left = set(start), list(start)
    while left:
        for name in used.get(left.pop(), set()) - seen:
            seen.add(name)
            if name in owned:
                met.add(name)
            else:
                left.append(name)
    return met
