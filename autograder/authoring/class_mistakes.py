"""Mutants of what the objects of a class do, the same for every class: they share what should be each one's own, change
where they should stay as they are, forget what they were made of.

Small changes of the reference's text (`mutants.py`) make none of these. Each is the right class, and below it one that
extends it. A mutant's kind is what it is said to do.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from autograder.authoring.module_mistakes import is_module, module_mistakes
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
_EQUAL = """\
class {name}({name}):
    def __eq__(self, other):
        return isinstance(other, {name}) and self._first_number() == other._first_number()

    def __hash__(self):
        return hash(self._first_number())

    def _first_number(self):
        return next((one for one in vars(self).values() if isinstance(one, int | float)), 0.0)
"""
_LEFT = """\
class {name}({name}):
    def {method}(self, *args, **keywords):
        numbers = {{name: value for name, value in vars(self).items() if isinstance(value, int | float)}}
        super().{method}(*args, **keywords)
        vars(self).update(numbers)
"""
_SET_BACK = """\
class {name}({name}):
    _all = []

    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        numbers = {{name: value for name, value in vars(self).items() if isinstance(value, int | float)}}
        self._all.append((self, numbers))

    def {method}(self, *args, **keywords):
        for one, numbers in self._all:
            vars(one).update(numbers if one is not self else {{}})
        return super().{method}(*args, **keywords)
"""
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
_UPDATED = """\
class {name}({name}):
    def {method}(self, *args, **keywords):
        result = super().{method}(*args, **keywords)
        for name, value in list(vars({of}).items()):
            if isinstance(value, {types}){condition}:
                vars({of})[name] = {value}
        return result
"""
_ROUNDED = {"of": "result", "types": "float", "condition": "", "value": "round(value, 4)"}
_EMPTIED = {"of": "self", "types": "list | tuple | dict | set", "condition": "", "value": "type(value)()"}
_EMPTIED_FOR_NUMBERS = {
    "of": "result",
    "types": "list",
    "condition": " and any(isinstance(one, int | float) for one in args)",
    "value": "[]",
}
_EACH_ONCE = {
    "of": "result",
    "types": "list",
    "condition": "",
    "value": "[*{id(one[0] if isinstance(one, tuple) else one): one for one in value}.values()]",
}
_SWAPPED = """\
class {name}({name}):
    def {method}(self, other):
        return self.{forward}(other)
"""
_REFLECTED = {f"__r{name}__": f"__{name}__" for name in ("sub", "truediv", "floordiv", "mod", "pow", "matmul")}


def class_mistakes(built: Built) -> list[Mutant]:
    """Those of all classes that tasks ask for; of the methods, those with solution code in them."""
    asked = {name for task in built.exercise.automatic.values() for name in task.functions}
    return [
        Mutant(f"{subject}: {does}", node.name, f"{ast.unparse(node)}\n\n\n{code}", textwrap.indent(code, "+"))
        for cell in solution_code(built.reference)
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.ClassDef) and node.name in asked
        for subject, does, code in _of(node, marked_lines(cell.source))
    ]


def _of(node: ast.ClassDef, marked: set[int]) -> Iterator[tuple[str, str, str]]:
    """What each is about, what it does, and the class that extends the right one."""
    kind = node.name
    for does, shared in _KEPT_WITH_THE_CLASS.items():
        yield kind, does, _SHARED.format(name=kind, shared=shared)
    if _compares(node):
        yield kind, "is equal to others of the same number", _EQUAL.format(name=kind)
    if is_module(node):
        yield from ((kind, does, code) for does, code in module_mistakes(node))
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    for name, forward in _REFLECTED.items():
        if {name, forward} <= methods.keys():
            code = _SWAPPED.format(name=kind, method=name, forward=forward)
            yield f"{kind}.{name}", "takes its operands the other way round", code
    written = (one for one in methods.values() if any(line.lineno in marked for line in one.body))
    for method in written:
        yield from ((f"{kind}.{method.name}", does, code) for does, code in _of_method(method, node))


def _of_method(method: ast.FunctionDef, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    names = {"name": node.name, "method": method.name}
    returns = any(isinstance(one, ast.Return) and one.value for one in method.body)
    if returns:
        yield "returns nothing", _RETURNED.format(**names, returned="None")
        yield "returns one value too many", _RETURNED.format(**names, returned="(result, None)")
    elif method.name != "__init__" and _keeps_containers(node):
        yield "empties what its object keeps, so that it works once", _UPDATED.format(**names, **_EMPTIED)
        yield "leaves the numbers of its own object as they were", _LEFT.format(**names)
        yield "sets the numbers of all other objects back to what they were made with", _SET_BACK.format(**names)
    if not _made_in(method, node.name):
        return
    if returns:
        yield "returns a number in the place of an object", _RETURNED.format(**names, returned=_NUMBER)
        yield "rounds the numbers of its result to four digits", _UPDATED.format(**names, **_ROUNDED)
    for place, operand in enumerate(one.arg for one in method.args.args):
        yield f"leaves the numbers of its result in `{operand}`", _CHANGED.format(**names, place=place)
    if _notes_operands(method, node.name):
        does = "leaves the lists of its result empty where an operand is a plain number"
        yield does, _UPDATED.format(**names, **_EMPTIED_FOR_NUMBERS)
        yield "notes an operand that comes twice once", _UPDATED.format(**names, **_EACH_ONCE)


def _made_in(method: ast.FunctionDef, kind: str) -> list[ast.Call]:
    """The calls by which it makes objects of its class."""
    calls = [one for one in ast.walk(method) if isinstance(one, ast.Call)]
    return [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == kind]


def _notes_operands(method: ast.FunctionDef, kind: str) -> bool:
    """Whether what it makes has two operands or more in a list."""
    operands = {one.arg for one in method.args.args}
    noted = [one for call in _made_in(method, kind) for one in ast.walk(call) if isinstance(one, ast.List)]
    found = [{name.id for name in ast.walk(one) if isinstance(name, ast.Name)} for one in noted]
    return len(operands) > 1 and any(operands <= names for names in found)


def _keeps_containers(node: ast.ClassDef) -> bool:
    """Whether its objects have lists, dicts or sets of their own."""
    values = [one.value for one in ast.walk(node) if isinstance(one, ast.Assign) and _is_of_self(one.targets[0])]
    made = (one.func.id for one in values if isinstance(one, ast.Call) and isinstance(one.func, ast.Name))
    return any(isinstance(one, ast.List | ast.Dict | ast.ListComp) for one in values) or bool(
        {"list", "dict", "set"} & set(made)
    )


def _is_of_self(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"


def _compares(node: ast.ClassDef) -> bool:
    """Whether its methods look for objects in a list or set, which asks whether two are equal."""
    compared = [op for one in ast.walk(node) if isinstance(one, ast.Compare) for op in one.ops]
    own = any(isinstance(one, ast.FunctionDef) and one.name == "__eq__" for one in node.body)
    return not own and any(isinstance(op, ast.In | ast.NotIn) for op in compared)
