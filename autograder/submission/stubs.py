"""The functions that an exercise hands out to be written, found again wherever they stand unwritten."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from autograder.submission.cells import Cell, bound_names, words

_TO_WRITE = "raise NotImplementedError"  # else it is a help that the course gives
_AT_THE_END = r"(?=[ \t]*(?:\n|\Z))(?!(?:[ \t]*\n)+[ \t]+\S)"  # and not in the middle of a longer function


class Stubs:
    """The code of released solution cells, compared up to white space."""

    def __init__(self, solutions: Collection[Cell]) -> None:
        self._texts = {words(cell.source) for cell in solutions} - {""}
        self._lines = {words(line) for cell in solutions for line in cell.source.split("\n")}
        self._functions = [
            (name, re.compile(f"^{_as_pattern(text)}{_AT_THE_END}", re.MULTILINE))
            for cell in solutions
            for name, text in _functions(cell.source)
            if _TO_WRITE in text
        ]

    def without(self, source: str, names: Collection[str]) -> str:
        """Code with empty lines in the place of the unwritten functions of these names."""
        for name, pattern in self._functions:
            if name in names and name in source:
                source = pattern.sub(lambda found: "\n" * found[0].count("\n"), source)
        return source

    def written_names(self, source: str) -> set[str]:
        """What code binds at the margin, but for unwritten functions."""
        return bound_names(self.without(source, [name for name, _ in self._functions]))

    def unwritten_names(self, source: str) -> set[str]:
        """The functions that stand unwritten in it."""
        return {name for name, pattern in self._functions if name in source and pattern.search(source)}

    def are_all_of(self, source: str) -> bool:
        """Whether code is just as it was handed out: a released cell or a part of one."""
        if words(source) in self._texts:
            return True
        rest = self.without(source, [name for name, _ in self._functions])
        return rest != source and {words(line) for line in rest.split("\n")} <= self._lines | {""}


def _functions(source: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each function and class at the margin."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield node.name, "\n".join(source.split("\n")[first - 1 : node.end_lineno])


def _as_pattern(text: str) -> str:
    return r"\s+".join(map(re.escape, text.split()))
