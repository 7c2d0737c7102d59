"""Mutants of what the objects of a class do, the same for every class: they share what should be each one's own, or
change where they should stay as they are.

Small changes of the reference's text (`mutants.py`) make none of these. Each is the right class, and below it one that
extends it.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from autograder.authoring.mutants import Mutant, marked_lines
from autograder.exercise.built import Built
from autograder.exercise.source import solution_code

_SHARED = """\
class {name}({name}):
    _of_the_first = {{}}

    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        for name, value in list(vars(self).items()):
            if {shared}:
                vars(self)[name] = self._of_the_first.setdefault(name, value)
"""
_KEPT_WITH_THE_CLASS = {
    "keeps its lists, dicts and arrays with the class": "hasattr(value, '__setitem__')",
    "keeps everything with the class": "True",
}
_CHANGED = """\
class {name}({name}):
    def {method}(self, *args, **keywords):
        result = super().{method}(*args, **keywords)
        for operand in [self, *args][{place} : {place} + 1]:
            if isinstance(result, {name}) and isinstance(operand, {name}):
                numbers = {{name: value for name, value in vars(result).items() if isinstance(value, int | float)}}
                vars(operand).update(numbers)
        return result
"""

_RETURNED = """\
class {name}({name}):
    def {method}(self, *args, **keywords):
        result = super().{method}(*args, **keywords)
        return {returned}
"""
_NUMBER = "next((one for one in vars(result).values() if isinstance(one, int | float)), 0.0)"


def class_mistakes(built: Built) -> list[Mutant]:
    """Those of all classes that tasks ask for; of the methods, those with solution code in them."""
    asked = {name for task in built.exercise.automatic.values() for name in task.functions}
    return [
        mutant
        for cell in solution_code(built.reference)
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.ClassDef) and node.name in asked
        for mutant in _of(node, marked_lines(cell.source))
    ]


def _of(node: ast.ClassDef, marked: set[int]) -> Iterator[Mutant]:
    for does, shared in _KEPT_WITH_THE_CLASS.items():
        yield _extended(node, f"{node.name}: {does}", _SHARED.format(name=node.name, shared=shared))
    for method in (one for one in node.body if isinstance(one, ast.FunctionDef) and _is_marked(one, marked)):
        for does, returned in _returned(method, node.name).items():
            code = _RETURNED.format(name=node.name, method=method.name, returned=returned)
            yield _extended(node, f"{node.name}.{method.name}: {does}", code)
        for place, operand in enumerate(_operands(method, node.name)):
            does = f"leaves the numbers of its result in `{operand}`"
            code = _CHANGED.format(name=node.name, method=method.name, place=place)
            yield _extended(node, f"{node.name}.{method.name}: {does}", code)


def _is_marked(method: ast.FunctionDef, marked: set[int]) -> bool:
    return any(one.lineno in marked for one in method.body)


def _extended(node: ast.ClassDef, name: str, code: str) -> Mutant:
    return Mutant(name, node.name, f"{ast.unparse(node)}\n\n\n{code}", textwrap.indent(code, "+"))


def _operands(method: ast.FunctionDef, kind: str) -> list[str]:
    """What it is called of and with, if it makes an object of its class."""
    return [one.arg for one in method.args.args] if _makes_one(method, kind) else []


def _returned(method: ast.FunctionDef, kind: str) -> dict[str, str]:
    """What it may return in the place of what it should."""
    returns = any(isinstance(one, ast.Return) and one.value for one in method.body)
    number = {"returns a number in the place of an object": _NUMBER} if _makes_one(method, kind) else {}
    return {"returns nothing": "None", **number} if returns else {}


def _makes_one(method: ast.FunctionDef, kind: str) -> bool:
    calls = (one.func for one in ast.walk(method) if isinstance(one, ast.Call))
    return any(isinstance(function, ast.Name) and function.id == kind for function in calls)
