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
from autograder.authoring.wrappers.way import Way
from autograder.authoring.wrappers.ways import WAYS
from autograder.exercise.built import Built
from autograder.exercise.modules import file_with, module_name
from autograder.exercise.source import reference_source
from autograder.submission.notebook import Cell, Role

PROBED = "probed"  # the state of the notebook that has a probe in it
_OF_AN_ARGUMENT = "`{argument}`"
_KIT = "call way state inputs odd_results ways variations probe".split()  # in the order in which they need each other


@dataclass(frozen=True)
class Behaviour(Mutant):
    """A mutant that is a wrapper. does: "a function that ..."; kind: the name of all that do so in the exercise.

    way, which: as in `misbehaving`.
    """

    does: str
    kind: str
    way: str
    which: int

    def __str__(self) -> str:
        return f"a `{self.function}` that {self.does}"

    @property
    def is_odd(self) -> bool:
        """Whether no right function returns such a thing, so that a test might break."""
        return self.way in ODD_RESULTS


def functions(built: Built, tasks: Collection[str] | None = None) -> list[str]:
    """The functions that points are given for in `tasks`, all by default, in order; no classes."""
    body = ast.parse(reference_source(built.reference)).body
    written = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    asked = (task for name, task in built.exercise.automatic.items() if tasks is None or name in tasks)
    return list(dict.fromkeys(name for task in asked for name in task.functions if name in written))


def behaviours(built: Built, function: str) -> list[Behaviour]:
    """All mutants that a function might have; those of no difference among them."""
    node = _function(built, function)
    return [_behaviour(node, name, which) for name, which in _choices(node)]


def differing(tried: list[Behaviour], messages: Iterable[str]) -> list[Behaviour]:
    """Those that make a difference, by the messages that the tests got from the probe; and those that always do."""
    found = set[int]().union(*map(found_in, messages))
    return [one for place, one in enumerate(tried) if place in found or not WAYS[one.way].shows_on]


def states(built: Built, function: str, tried: list[Behaviour]) -> Iterator[Cell]:
    """What makes a solved notebook one in whose state `PROBED` there is a probe, and a mutant in each of its name."""
    choices = [(one.way, one.which) for one in tried]
    has_raise, file = _has_raise(_function(built, function)), file_with(function, built.reference)
    kit = f"_kit = {{'__name__': 'kit'}}\nexec({_kit()!r}, _kit)\n_right = {function}"
    yield Cell("code", _run_in(file, function, kit), Role.GIVEN)
    yield from state(PROBED, f"{function} = _kit['probed']({choices!r}, {has_raise})(_right)", function, built)
    for one in tried:
        yield from state(one.name, one.code, function, built)


def state(name: str, source: str, function: str, built: Built) -> Iterator[Cell]:
    """Cells that bring a notebook into a state of this name by running `source`, which defines `function` anew.

    It runs where that is defined: in the notebook, or in a module that students write.
    """
    yield Cell("code", _run_in(file_with(function, built.reference), function, source))
    yield Cell("code", "", Role.GRADE, name)


def _run_in(file: str, function: str, source: str) -> str:
    if not file:
        return source
    module = module_name(file)
    return f"import {module}\nexec({source!r}, vars({module}))\nfrom {module} import {function}"


def _choices(node: ast.FunctionDef) -> Iterator[tuple[str, int]]:
    arguments = len(node.args.args)
    for name, way in WAYS.items():
        if _fits(name, way, node):
            yield from ((name, place) for place in range(arguments if _OF_AN_ARGUMENT in way.does else 1))


def _fits(name: str, way: Way, node: ast.FunctionDef) -> bool:
    """Of a function without arguments all is said by its result."""
    return name in ODD_RESULTS if not node.args.args else _has_raise(node) or not way.of_raise


def _behaviour(node: ast.FunctionDef, way: str, which: int) -> Behaviour:
    does = WAYS[way].does
    told = does.format(argument=node.args.args[which].arg) if node.args.args else does
    code = f"{node.name} = _kit['misbehaving']({way!r}, {which})(_right)"
    kind = f"*: {does.replace(_OF_AN_ARGUMENT, 'an argument')}"
    return Behaviour(f"{node.name}: {told}", node.name, code, "", told, kind, way, which)


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
