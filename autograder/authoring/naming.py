"""What a mutant is called: where it is, and what became of what."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import takewhile

_LONGEST = 60  # characters of either side of a name


def lines_of(function: ast.stmt) -> list[str]:
    """A function's text without its docstring."""
    shown = deepcopy(function)
    if isinstance(shown, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(shown) is not None:
        del shown.body[0]
    return ast.unparse(shown).splitlines()


def method_of(before: ast.stmt, after: ast.stmt) -> str:
    """The method of a class that was changed, with a dot before it."""
    if not (isinstance(before, ast.ClassDef) and isinstance(after, ast.ClassDef)):
        return ""
    other = {ast.unparse(node) for node in after.body}
    changed = (node for node in before.body if isinstance(node, ast.FunctionDef) and ast.unparse(node) not in other)
    return next((f".{node.name}" for node in changed), "")


def summary(before: list[str], after: list[str]) -> str:
    """The lines that differ, as "old → new"."""
    start = _alike(before, after)
    end = _alike(before[start:][::-1], after[start:][::-1])
    old, new = ("; ".join(line.strip() for line in lines[start : len(lines) - end]) for lines in (before, after))
    return " → ".join(_shortened(old, new)).replace('"', "'")  # which of the two it is depends on Python's version


def _shortened(old: str, new: str) -> Iterator[str]:
    """Both texts, cut down to where they differ if they are long."""
    start = old.rfind(" ", 0, max(0, _alike(old, new) - 20)) + 1 if max(len(old), len(new)) > _LONGEST else 0
    for text in (old, new):
        shown = f"…{text[start:]}" if start else text
        yield shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 21]}…{shown[-20:]}"


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))
