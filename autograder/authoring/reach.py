"""What a definition in a Python text depends on: all that it reaches by the names that it uses, followed in the text.

Rather too much is reached than too little: attributes and texts count as names, too, as a test may ask for
`student.double` or by "double". A text that finds its names in other ways is `obscure`.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce

from autograder.authoring.memory import Memory, is_constant, is_fixed, memory_of

_OBSCURE = {"globals", "locals", "vars", "eval", "exec", "__dict__", "__import__", "importlib", "sys", "modules", "*"}


@dataclass(frozen=True)
class Words:
    """The names in some code. parts: pieces of texts that are put together, of which names may be made."""

    whole: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()

    def __or__(self, other: Words) -> Words:
        return Words(self.whole | other.whole, self.parts | other.parts)

    @staticmethod
    def union(several: Iterable[Words]) -> Words:
        """All names in several pieces of code."""
        return reduce(Words.__or__, several, Words())

    def may_mean(self, name: str) -> bool:
        """Whether `name` is one of them, or may be made of them."""
        return name in self.whole or any(part in name for part in self.parts)


@dataclass(frozen=True)
class Statement:
    """One top-level statement.

    text: a digest of what of it can make a difference. binds: the names that it defines. everywhere: whether all that
    comes after may depend on it. memory: what its functions leave behind. is_fixed: whether what it binds stays so.
    """

    text: str
    binds: frozenset[str]
    words: Words
    everywhere: bool
    memory: Memory
    is_fixed: bool
    node: ast.stmt


@dataclass(frozen=True)
class Reach:
    """What is reached from some words: statements, in their order, and all words met on the way."""

    statements: tuple[Statement, ...]
    words: Words

    @cached_property
    def digest(self) -> str:
        return digest(*(one.text for one in self.statements))


class Text:
    """A text, by its top-level statements."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.statements = tuple(statements)
        self._form = tuple((one.binds, one.words) for one in self.statements)
        self.everywhere = digest(*(one.text for one in self.statements if one.everywhere))

    def reach(self, words: Words) -> Reach:
        """All that is reached from `words`."""
        places, met = _reached(self._form, words)
        return Reach(tuple(self.statements[place] for place in places), met)

    @cached_property
    def is_simple(self) -> bool:
        """Whether a name means the same from top to bottom."""
        places = _places(self._form).values()
        return all(len({self.statements[place].text for place in some}) == 1 for some in places)

    @cached_property
    def memory(self) -> Memory:
        """What calls of its functions may leave behind."""
        loose = frozenset(name for one in self.statements if not one.is_fixed for name in one.binds)
        users = (one for one in self.statements if isinstance(one.node, ast.FunctionDef | ast.ClassDef))
        if not self.is_simple or any(loose & one.words.whole for one in users):
            return Memory.ANYTHING
        if not all(_only_defines(one.node) for one in self.statements):
            return Memory.ANYTHING
        return max((one.memory for one in self.statements), default=Memory.NOTHING)


Form = tuple[tuple[frozenset[str], Words], ...]  # of each statement, what it binds and what it uses


@lru_cache(maxsize=1 << 15)
def _reached(form: Form, words: Words) -> tuple[tuple[int, ...], Words]:
    """The places of the statements that are reached, and all words met on the way."""
    bound = _places(form)
    places, left, met = set[int](), words, Words()
    while left.whole or left.parts:
        found = {place for name in _meant(left, bound.keys()) for place in bound[name]} - places
        places |= found
        met |= left
        new = Words.union(form[place][1] for place in found)
        left = Words(new.whole - met.whole, new.parts - met.parts)
    return tuple(sorted(places)), met


@lru_cache(maxsize=256)
def _places(form: Form) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, (binds, _) in enumerate(form):
        for name in binds:
            places.setdefault(name, []).append(place)
    return places


def _meant(words: Words, names: Collection[str]) -> set[str]:
    meant = {name for name in words.whole if name in names}
    return meant | {name for name in names if words.parts and any(part in name for part in words.parts)}


def read_cell(source: str, place: str) -> tuple[Statement, ...]:
    """The statements of a notebook's cell; their lines are told to students, so they make a difference.

    Every statement counts everywhere that is no function, class, harmless import or constant.
    """
    return _read_cell(source, place)


@lru_cache(maxsize=4096)
def _read_cell(source: str, place: str) -> tuple[Statement, ...]:
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return (Statement(digest(place, source), frozenset(), Words(), True, Memory.ANYTHING, False, ast.Pass()),)
    return tuple(_in_notebook(node, source, place) for node in body)


def read_suite(source: str) -> Text:
    """A suite's statements, as a test sees them; comments and lines make no difference."""
    return Text(_in_suite(node) for node in ast.parse(source).body)


def is_obscure(suite: Text) -> bool:
    """Whether its names are found in ways that cannot be followed."""
    return any(_OBSCURE & one.words.whole or "scope" in one.words.whole for one in suite.statements)


def digest(*parts: str) -> str:
    """Of texts, in their order."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def words_of(node: ast.AST) -> Words:
    """All names, attributes, and texts that are like a name."""
    formats = {id(one) for value in ast.walk(node) for one in _formats(value)}
    nodes = [one for one in ast.walk(node) if id(one) not in formats]
    return Words(
        frozenset(word for one in nodes for word in _names(one)),
        frozenset(part for one in nodes for part in _pieces(one) if re.fullmatch(r"\w+", part)),
    )


def _in_notebook(node: ast.stmt, source: str, place: str) -> Statement:
    is_import = isinstance(node, ast.Import | ast.ImportFrom)
    text = ast.unparse(node) if is_import else f"{place}:{node.lineno} {_segment(node, source)}"
    everywhere = not is_fixed(node) or not _is_defined_quietly(node)
    return Statement(digest(text), _binds(node), words_of(node), everywhere, memory_of(node), is_fixed(node), node)


def _segment(node: ast.stmt, source: str) -> str:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def _is_defined_quietly(node: ast.stmt) -> bool:
    """Whether nothing can go wrong where it stands."""
    if not isinstance(node, ast.FunctionDef):
        return isinstance(node, ast.Import | ast.ImportFrom) or all(map(_is_literal, _values(node)))
    parameters = node.args
    defaults = [one for one in (*parameters.defaults, *parameters.kw_defaults) if one]
    return not node.decorator_list and all(map(_is_literal, defaults)) and not any(_annotations(node))


def _values(node: ast.stmt) -> list[ast.expr]:
    return [one for one in (getattr(node, "value", None), getattr(node, "annotation", None)) if one]


def _annotations(node: ast.FunctionDef) -> Iterator[ast.expr]:
    """Those that ask for more than Python's own types."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    for one in (node.returns, *(argument.annotation for argument in arguments if argument)):
        if one and not {part.id for part in ast.walk(one) if isinstance(part, ast.Name)} <= _TYPES:
            yield one


def _only_defines(node: ast.stmt) -> bool:
    """Or runs the course's checks: what else a cell does may hang on all of the notebook."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Expr(value=ast.Call(func=ast.Name(id="check"))):
            return True
        case ast.Assign() | ast.AnnAssign():
            return is_fixed(node)
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


_TYPES = {"list", "tuple", "dict", "float", "int", "bool", "str", "set", "object"}


def _is_literal(value: ast.expr) -> bool:
    return is_constant(value) and not any(
        isinstance(one, ast.Name | ast.Attribute | ast.BinOp) for one in ast.walk(value)
    )


def _in_suite(node: ast.stmt) -> Statement:
    words, binds = words_of(node), _binds(node)
    is_definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
    calls = any(isinstance(one, ast.Call) for one in ast.walk(node))
    if calls and not is_definition:  # it may change what it uses
        binds |= words.whole
    quiet = isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign) or is_definition
    asked = "autouse" in words.whole or any(name.startswith("pytest") for name in _binds(node) - {"pytest"})
    text = digest(ast.dump(node))
    return Statement(text, binds, words, asked or not quiet, memory_of(node), is_fixed(node), node)


def _binds(node: ast.stmt) -> frozenset[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return frozenset([name])
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return frozenset(alias.asname or alias.name.split(".")[0] for alias in names)
    return frozenset(
        _base(one) for one in ast.walk(node) if isinstance(getattr(one, "ctx", None), ast.Store | ast.Del)
    ) - {""}


def _base(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            yield name
        case ast.keyword(arg=str(name)):
            yield name
        case ast.alias(name=name):
            yield from name.split(".")
        case ast.Constant(value=str(text)) if text.isidentifier():
            yield text


def _formats(node: ast.AST) -> Iterator[ast.AST]:
    """How a value is written, such as `>8`: no part of a name."""
    if isinstance(node, ast.FormattedValue) and node.format_spec:
        yield node.format_spec


def _pieces(node: ast.AST) -> Iterator[str]:
    """Texts that are parts of others: in f-strings, sums, `%`, `join` and `format`."""
    parts: list[ast.expr] = []
    match node:
        case ast.JoinedStr(values=values):
            parts = values
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Call(func=ast.Attribute(value=value, attr="join" | "format" | "replace"), args=args):
            parts = [value, *args, *(one for arg in args for one in getattr(arg, "elts", ()))]
    yield from (one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str))
