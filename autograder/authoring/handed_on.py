"""Whether a change of a function concerns only what it hands on beside its result, as a forward pass does its cache."""

from __future__ import annotations

import ast
from copy import deepcopy


def differs_in_what_is_handed_on(source: str, name: str, mutant: str) -> bool:
    """Whether a function of `source` and its mutant make the same first value in the same way, and others beside it."""
    functions = [_function(text, name) for text in (source, mutant)]
    one, other = (function and _result_alone(function) for function in functions)
    return one is not None and one == other


def _function(source: str, name: str) -> ast.FunctionDef | None:
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return next((node for node in reversed(functions) if node.name == name), None)


def _result_alone(function: ast.FunctionDef) -> str | None:
    """The function cut down to the first of several values that it returns; None where it returns one alone."""
    cut = deepcopy(function)
    returns = [node for node in ast.walk(cut) if isinstance(node, ast.Return)]
    if not returns or not all(isinstance(one.value, ast.Tuple) and len(one.value.elts) > 1 for one in returns):
        return None
    for one in returns:
        assert isinstance(one.value, ast.Tuple)
        one.value = one.value.elts[0]
    while _drop_unused(cut):
        pass
    return ast.unparse(cut)


def _drop_unused(function: ast.FunctionDef) -> bool:
    """Take out plain assignments to names that nothing reads; whether there was one."""
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    kept = [statement for statement in function.body if not _is_unused(statement, read)]
    dropped = len(kept) < len(function.body)
    function.body = kept
    return dropped


def _is_unused(statement: ast.stmt, read: set[str]) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name not in read
    return False
