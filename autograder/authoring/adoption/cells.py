"""The text of a source notebook's cells: nbgrader's regions in it, and the names that it binds and uses."""

from __future__ import annotations

import ast
import re

from autograder.authoring.adoption.expressions import imports_of
from autograder.exercise.markers import BEGIN_SOLUTION, END_SOLUTION
from autograder.exercise.uses import bound_in
from autograder.settings import STUB


def solution_of(source: str) -> str:
    """With the markers as the exercise has them; around all of it where there are none."""
    if not _region("SOLUTION").search(source):
        return f"{BEGIN_SOLUTION}\n{source}\n{END_SOLUTION}"
    for marker in (BEGIN_SOLUTION, END_SOLUTION):
        source = re.sub(rf"^([ \t]*).*{marker.strip('# ')}.*$", rf"\1{marker}", source, flags=re.MULTILINE)
    return source


def cleared(source: str) -> str:
    """Without the solution, as students get it."""
    stub = STUB["python"].split("\n")
    cleared, count = _region("SOLUTION").subn(lambda found: "\n".join(found[1] + line for line in stub), source)
    return cleared if count else "\n".join(stub)


def parted(source: str, region: str) -> tuple[str, str]:
    """The text around nbgrader's regions of this name, and what is in them."""
    pattern = _region(region)
    return pattern.sub("", source), "\n".join(found[2].rstrip("\n") for found in pattern.finditer(source))


def _region(name: str) -> re.Pattern[str]:
    """Of nbgrader's: a marker is a line that holds it."""
    lines = rf"^([ \t]*)[^\n]*BEGIN {name}[^\n]*\n(.*?)[^\n]*END {name}[^\n]*$"
    return re.compile(lines, re.MULTILINE | re.DOTALL)


def parsed(source: str) -> ast.Module | None:
    """The tree of a cell; None where it is no Python."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


def names_bound(source: str) -> set[str]:
    """The names that a cell gives a meaning, but for those that it imports at the margin."""
    if (tree := parsed(source)) is None:
        return set()
    branches = [node for node in tree.body if isinstance(node, ast.Try | ast.If | ast.With)]
    inner = [one for node in branches for one in ast.walk(node) if isinstance(one, ast.stmt)]
    return bound_in(tree) | imports_of(inner).keys()


def names_used(source: str) -> set[str]:
    """The names that a cell takes from others; none where it is no Python."""
    nodes = list(ast.walk(parsed(source) or ast.Module([], [])))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    return {node.id for node in names} - own


def modules(source: str) -> set[str]:
    """The modules that a cell imports, each by the first part of its name."""
    nodes = list(ast.walk(parsed(source) or ast.Module([], [])))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {name.partition(".")[0] for name in names}


def has_code(source: str) -> bool:
    """Whether there is more than comments in it."""
    return (tree := parsed(source)) is None or bool(tree.body)


def first_line(source: str) -> str:
    """By which a person finds a cell."""
    return (source.strip().splitlines() or [""])[0][:80]
