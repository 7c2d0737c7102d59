"""Code as statements whose shapes hang on no names and comments. It is read as text, never run, and may be broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, Punctuation, String, Text

Shape = tuple[str, ...]

_LONGEST = 500  # tokens of one statement: a bracket that is never closed would take in all that follows
_OPENING, _CLOSING = "([{", ")]}"
_KEPT = (Name.Builtin, Name.Namespace, Name.Decorator, Name.Exception)


@dataclass(frozen=True)
class Statement:
    """shape: its tokens, with names in the order in which they appear in it. first, last: its lines, from 1."""

    shape: Shape
    first: int
    last: int


def statements(code: str) -> Iterator[Statement]:
    """The statements of code, in their order, without comments and docstrings.

    Names of attributes, builtins and packages stay as they are: they say what is done. A string is a string.
    """
    line, first, depth, tokens = 1, 1, 0, list[tuple[object, str]]()
    for kind, text in PythonLexer(stripnl=False).get_tokens(code):
        ends = kind in Text and "\n" in text and not text.startswith("\\") and not depth
        if kind not in Text and kind not in Comment and kind not in String.Doc:
            first = first if tokens else line
            tokens.append((kind, text))
            depth = _depth(depth, text) if kind in Punctuation else depth
        if tokens and (ends or len(tokens) == _LONGEST):
            yield Statement(_shape(tokens), first, line)
            depth, tokens = 0, []
        line += text.count("\n")
    if tokens:
        yield Statement(_shape(tokens), first, line)


def _depth(depth: int, text: str) -> int:
    return max(0, depth + (text in _OPENING) - (text in _CLOSING))


def _shape(tokens: list[tuple[object, str]]) -> Shape:
    names: dict[str, str] = {}
    shape: list[str] = []
    for kind, text in tokens:
        is_attribute = bool(shape) and shape[-1] == "."
        if kind in String:
            text = '""'
            if shape and shape[-1] == text:
                continue
        elif kind in Name and not is_attribute and not any(kind in kept for kept in _KEPT):
            text = names.setdefault(text, f"${len(names)}")
        elif text in _CLOSING and shape and shape[-1] == ",":
            shape.pop()
        shape.append(text)
    return tuple(shape)
