"""Names of libraries in an exercise that lead nowhere, or to a package that it does not say it needs.

What is not allowed must exist where it is graded: a misspelt name would forbid nothing. What the notebook imports must
be named, as the student's process has it ready before a submission comes, and `doctor` looks whether it is there.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Collection, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain

from nbformat import NotebookNode

from autograder.exercise.definition import Exercise
from autograder.exercise.given_files import modules_among
from autograder.exercise.packages import missing_packages
from autograder.exercise.spelling import did_you_mean

_WITH_JUPYTER = ("IPython", "ipykernel")


def unknown_names(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Each task that does not allow what does not exist, with what is told. Imports the libraries that are named."""
    for name, task in exercise.automatic.items():
        for forbidden in task.not_allowed:
            if told := _why_unknown(forbidden):
                yield name, f"task `{name}` does not allow `{forbidden}`, {told}"


def unnamed_packages(exercise: Exercise, notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """Each package that the cells import and exercise.toml does not name, with a line of code that imports it."""
    beside = (exercise.checks_module, *modules_among((*exercise.files, *exercise.submit)))
    own = (*exercise.packages, *_WITH_JUPYTER, *beside)
    for package, statement in _imported(notebook).items():
        if package not in sys.stdlib_module_names and package not in own and not _come_along(package, own):
            yield statement, f"imports `{package}`, which exercise.toml does not name; {_how_named(package)}"


def _come_along(package: str, own: Collection[str]) -> bool:
    """Whether it is installed with one of these, as `mpl_toolkits` is with matplotlib."""
    brought = packages_distributions()
    return bool({*brought.get(package, ())}.intersection(chain.from_iterable(brought.get(one, ()) for one in own)))


def _imported(notebook: NotebookNode) -> dict[str, str]:
    """The packages that the statements of code cells import, each with the first line that does."""
    found: dict[str, str] = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            for node in ast.walk(_parsed(cell.source)):
                for name in _modules_of(node):
                    line = cell.source.splitlines()[node.lineno - 1]  # type: ignore[attr-defined]
                    found.setdefault(name.partition(".")[0], line)
    return found


def _modules_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []


def _parsed(source: str) -> ast.Module:
    """Nothing where there are magics: what those do is not looked at."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def _how_named(package: str) -> str:
    return 'framework = "torch"' if package == "torch" else f'packages = ["{package}"]'


@cache
def _why_unknown(dotted: str) -> str:
    """Nothing where it exists, or where its package is not installed: that is told by another sentence."""
    package, *rest = dotted.split(".")
    if list(missing_packages([package])):
        return ""
    found: object = importlib.import_module(package)
    for depth, name in enumerate(rest, start=1):
        path = ".".join([package, *rest[:depth]])
        try:
            found = getattr(found, name) if hasattr(found, name) else importlib.import_module(path)
        except ImportError:
            return f"which is not there{_similar(name, path.rpartition('.')[0], dir(found))}"
    return ""


def _similar(name: str, owner: str, known: Collection[str]) -> str:
    told = did_you_mean(name, known)
    return told.replace("`", f"`{owner}.", 1) if told.endswith("?") else f": `{owner}` has no `{name}`"
