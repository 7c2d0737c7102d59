"""Mutants of what a function does, the same for every function: it remembers, writes into what it is given, clips.

Small changes of the reference's text (`mutants.py`) make none of these. Each is the right function with a wrapper of
`wrappers/` around it, in the student's process as any solution is. Which wrappers would make a difference to a function
is found out there, too: a probe in its place raises it, so that each test's message brings it back.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from autograder.authoring.mutants import Mutant
from autograder.authoring.wrappers.odd_results import ODD_RESULTS
from autograder.authoring.wrappers.probe import found_in
from autograder.authoring.wrappers.ways import WAYS
from autograder.exercise.built import Built
from autograder.exercise.source import reference_source
from autograder.exercise.variants import Variant

_OF_AN_ARGUMENT = "{argument}"
_KIT = (
    "call",
    "way",
    "state",
    "inputs",
    "ways",
    "odd_results",
    "variations",
    "probe",
)  # in the order in which they need each other
Choice = tuple[str, int]  # a way, and the number of the argument that it is about


@dataclass(frozen=True)
class Behaviour(Mutant):
    """A mutant that is a wrapper. does: "a function that ..."; kind: the name of all that do so in the exercise."""

    does: str
    kind: str

    def __str__(self) -> str:
        return f"a `{self.function}` that {self.does}"


def probe(built: Built, function: str) -> Variant:
    """The reference with a probe in the place of a function."""
    node = _function(built, function)
    return _around(node, f"probed({_choices(node)!r}, {_has_raise(node)})", "a probe")


def behaviours(built: Built, function: str, messages: Iterable[str]) -> list[Behaviour]:
    """The mutants of a function that make a difference, by the messages that its probe left; and the odd results."""
    node = _function(built, function)
    found = set[int]().union(*map(found_in, messages))
    chosen = [_behaviour(node, choice) for place, choice in enumerate(_choices(node)) if place in found]
    odd = [_mutant(node, f"returning({name!r})", does) for name, (does, _) in ODD_RESULTS.items()]
    return chosen + odd


def functions(built: Built, tasks: Collection[str] | None = None) -> list[str]:
    """The functions that points are given for in `tasks`, all by default, in order; no classes."""
    body = ast.parse(reference_source(built.reference)).body
    written = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    asked = (task for name, task in built.exercise.automatic.items() if tasks is None or name in tasks)
    return list(dict.fromkeys(name for task in asked for name in task.functions if name in written))


def _choices(node: ast.FunctionDef) -> list[Choice]:
    return list(_ways_of(len(node.args.args), _has_raise(node)))


def _ways_of(arguments: int, has_raise: bool) -> Iterator[Choice]:
    for name, way in WAYS.items():
        if has_raise or not way.of_raise:
            yield from ((name, place) for place in range(arguments if _OF_AN_ARGUMENT in way.does else 1))


def _behaviour(node: ast.FunctionDef, choice: Choice) -> Behaviour:
    way, which = choice
    argument = node.args.args[which].arg if which < len(node.args.args) else ""
    return _mutant(node, f"misbehaving({way!r}, {which})", WAYS[way].does, argument)


def _mutant(node: ast.FunctionDef, decorator: str, does: str, argument: str = "") -> Behaviour:
    told = does.replace(_OF_AN_ARGUMENT, argument)
    kind = f"*: {does.replace(f'`{_OF_AN_ARGUMENT}`', 'an argument')}"
    return Behaviour(f"{node.name}: {told}", node.name, _around(node, decorator, told).code, "", told, kind)


def _around(node: ast.FunctionDef, decorator: str, title: str) -> Variant:
    name, _, arguments = decorator.partition("(")
    kit = f"_kit = {{'__name__': 'kit'}}\nexec({_kit()!r}, _kit)"
    return Variant(title, title, f"{kit}\n\n\n@_kit[{name!r}]({arguments}\n{ast.unparse(node)}", (node.name,))


def _function(built: Built, name: str) -> ast.FunctionDef:
    tree = ast.parse(reference_source(built.reference))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name][-1]


def _has_raise(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Raise) for one in ast.walk(node))


@cache
def _kit() -> str:
    """The texts that run in the student's process, as one."""
    here = files(__package__) / "wrappers"
    trees = [ast.parse(here.joinpath(f"{name}.py").read_text(encoding="utf-8")) for name in _KIT]
    return "\n\n".join(ast.unparse(node) for tree in trees for node in tree.body if not _is_own_import(node))


def _is_own_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder.")
