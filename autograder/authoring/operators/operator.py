"""A kind of small mistake: what it makes of one node of a syntax tree; and what all of them take trees apart with."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass


@dataclass(frozen=True)
class Operator:
    """A kind of mistake, and the framework in which it makes sense; None for both."""

    change: Callable[[ast.AST, ast.FunctionDef], Iterator[ast.AST]]  # of a node and the innermost function around it
    framework: str | None = None
    kinds: tuple[type[ast.AST], ...] = (ast.AST,)


Generator = Callable[..., Iterator[ast.AST]]


def adding_to(operators: dict[str, Operator]) -> Callable[..., Callable[[Generator], Generator]]:
    """A decorator that enters a generator of such nodes by its name. A `scoped` one is also given the function."""

    def kind(
        *kinds: type[ast.AST], scoped: bool = False, framework: str | None = None
    ) -> Callable[[Generator], Generator]:
        def add(generator: Generator) -> Generator:
            change = generator if scoped else lambda node, _: generator(node)
            operators[generator.__name__] = Operator(change, framework, kinds)
            return generator

        return add

    return kind


def expression(source: str) -> ast.expr:
    """The tree of an expression."""
    return ast.parse(source, mode="eval").body


def replaced(node: ast.AST, old: ast.AST, new: ast.AST) -> ast.AST:
    """A tree like `node` with `new`, which may be a module of several statements, in the place of `old`."""
    return exchanged(node, {id(old): new})


def exchanged(node: ast.AST, new: Mapping[int, ast.AST]) -> ast.AST:
    """A tree like `node` with others in the places of some nodes, by their ids; it shares what is the same in both."""
    if id(node) in new:
        return new[id(node)]
    changed = dict[str, object]()
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            other: object = exchanged(value, new)
            is_same = other is value
        elif isinstance(value, list):
            other = [exchanged(one, new) if isinstance(one, ast.AST) else one for one in value]
            is_same = all(map(operator.is_, other, value))
        else:
            continue
        if not is_same:
            changed[name] = other
    return type(node)(**{**vars(node), **changed}) if changed else node


def filled(slip: ast.expr, found: Mapping[str, ast.AST]) -> ast.AST:
    """A copy of `slip` with what was found in the places of its letters."""
    return deepcopy(slip, {id(name): found[name.id] for name in names(slip) if name.id in found})


def names(node: ast.AST) -> list[ast.Name]:
    """All names in a tree."""
    return [one for one in ast.walk(node) if isinstance(one, ast.Name)]


def stored(statement: ast.stmt) -> set[str]:
    """The names that it binds."""
    return {name.id for name in names(statement) if isinstance(name.ctx, ast.Store)}


def loaded(node: ast.AST) -> set[str]:
    """The names that it reads."""
    return {name.id for name in names(node) if isinstance(name.ctx, ast.Load)}


def is_value(node: ast.AST) -> bool:
    """Whether arithmetic may be done with it: no text, no `*xs`."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return not text and not isinstance(node, ast.JoinedStr | ast.Starred)
