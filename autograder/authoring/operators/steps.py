"""Mistakes in what a computation is made of: a step left out, taken twice or too early, a part in another's place.

To add one, copy `item_left_out`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from autograder.authoring.operators.operator import (
    Operator,
    adding_to,
    exchanged,
    expression,
    is_value,
    loaded,
    names,
    replaced,
    stored,
)

_BUILT_IN = 3  # a size that examples have
_SPREADS = ("std", "var")
_ELEMENTWISE = ("abs", "cos", "exp", "gelu", "log", "relu", "sigmoid", "sin", "softplus", "sqrt", "square", "tanh")

STEPS: dict[str, Operator] = {}
_step = adding_to(STEPS)


@_step(ast.FunctionDef)
def steps_exchanged(node: ast.FunctionDef) -> Iterator[ast.AST]:
    """if mask: y = f(y); return g(y) → y = g(y); if mask: y = f(y); return y"""
    for first, second in pairwise(node.body):
        name = _changed(first)
        if name and isinstance(second, ast.Assign) and _changed(second) == name:
            yield exchanged(node, {id(first): second, id(second): first})
        elif isinstance(second, ast.Return) and second.value and name in _computed_from(second.value):
            step = ast.Assign([ast.Name(name)], second.value, lineno=second.lineno)
            earlier = ast.Module([step, first], [])
            yield exchanged(node, {id(first): earlier, id(second): ast.Return(ast.Name(name))})


@_step(ast.Name, scoped=True)
def step_missed_or_repeated(node: ast.Name, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """y = np.tanh(x); dx = 1 - y → dx = 1 - x, dx = 1 - np.tanh(y): in one of the places where y is used"""
    uses = [one for one in names(function) if one.id == node.id]
    bound = [one for one in ast.walk(function) if isinstance(one, ast.Assign) and node.id in stored(one)]
    if not isinstance(node.ctx, ast.Load) or len(uses) < 3 or len(bound) != 1:
        return
    match bound[0]:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr=a) as f, args=[x], keywords=[])):
            if a not in _ELEMENTWISE:
                return
            yield x
            yield ast.Call(f, [node], [])


@_step(ast.List)
def item_left_out(node: ast.List) -> Iterator[ast.AST]:
    """[a, b] → [b], [a]"""
    if isinstance(node.ctx, ast.Load) and len(node.elts) > 1 and all(map(is_value, node.elts)):
        yield ast.List(node.elts[1:], node.ctx)
        yield ast.List(node.elts[:-1], node.ctx)


@_step(ast.Call, scoped=True)
def option_not_handed_on(node: ast.Call, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """f(x, mask) → f(x), where the function has mask=None; Node(x, [a, b]) → Node(x)"""
    options = {one.arg for one in function.args.args[len(function.args.args) - len(function.args.defaults) :]}
    match node.args:
        case [_, *_, ast.Name(id=name)] if name in options:
            yield ast.Call(node.func, node.args[:-1], node.keywords)
        case [_, *_, ast.List()]:
            yield ast.Call(node.func, node.args[:-1], node.keywords)
    for keyword in node.keywords:
        if isinstance(keyword.value, ast.Name) and keyword.value.id in options:
            yield ast.Call(node.func, node.args, [one for one in node.keywords if one is not keyword])


@_step(ast.BinOp, scoped=True)
def factors_exchanged(node: ast.BinOp, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """q @ k.T → k @ q.T"""
    parameters = {one.arg for one in function.args.args}
    left, right = ([one for one in names(side) if one.id in parameters] for side in (node.left, node.right))
    if isinstance(node.op, ast.MatMult) and len(left) == len(right) == 1:
        yield exchanged(node, {id(left[0]): right[0], id(right[0]): left[0]})


@_step(ast.Attribute, scoped=True)
def other_operand(node: ast.Attribute, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """self.data * other.data → other.data * other.data: in a method, where it reads the attribute of both"""
    parameters = [one.arg for one in function.args.args]
    if parameters[:1] == ["self"] and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
        for one in ast.walk(function):
            match one:
                case ast.Attribute(value=ast.Name(id=name), attr=node.attr) if name in parameters:
                    if name != node.value.id in parameters:
                        yield ast.Attribute(ast.Name(name), node.attr, node.ctx)


@_step(ast.Call, scoped=True)
def other_part(node: ast.Call, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """self.query(x) → self.key(x), where the method calls both"""
    own = _called_part(node)
    parts = {_called_part(one) for one in ast.walk(function)} - {own, ""}
    for part in sorted(parts) if own else ():
        yield ast.Call(expression(f"self.{part}"), node.args, node.keywords)


@_step(ast.Assign, scoped=True)
def part_shared(node: ast.Assign, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """self.a = Linear(n); self.b = Linear(n) → self.a = Linear(n); self.b = self.a"""
    for one in function.body:
        if one is node or not isinstance(node.targets[0], ast.Attribute) or not isinstance(node.value, ast.Call):
            return
        if isinstance(one, ast.Assign) and ast.unparse(one.value) == ast.unparse(node.value):
            yield ast.Assign(node.targets, expression(ast.unparse(one.targets[0])), lineno=node.lineno)


@_step(ast.Call, scoped=True)
def size_built_in(node: ast.Call, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Linear(channels, size) → Linear(3, size): of what an object is made with"""
    parameters = {one.arg for one in function.args.args if function.name == "__init__"}
    for one in node.args:
        if isinstance(one, ast.Name) and one.id in parameters:
            yield replaced(node, one, ast.Constant(_BUILT_IN))


def _spread_of(node: ast.Call, *options: str) -> bool:
    is_spread = isinstance(node.func, ast.Attribute) and node.func.attr in _SPREADS
    return is_spread and not any(one.arg in options for one in node.keywords)


@_step(ast.Call, framework="numpy")
def one_less_in_the_mean(node: ast.Call) -> Iterator[ast.AST]:
    """x.var(axis=0) → x.var(axis=0, ddof=1)"""
    if _spread_of(node, "ddof"):
        yield ast.Call(node.func, node.args, [*node.keywords, ast.keyword("ddof", ast.Constant(1))])


@_step(ast.Call, framework="torch")
def one_more_in_the_mean(node: ast.Call) -> Iterator[ast.AST]:
    """x.var(0) → x.var(0, correction=0)"""
    if _spread_of(node, "correction", "unbiased"):
        yield ast.Call(node.func, node.args, [*node.keywords, ast.keyword("correction", ast.Constant(0))])


def _changed(statement: ast.stmt) -> str:
    """The name that it gives another value made of the one before, perhaps under a condition; "" for none."""
    match statement:
        case ast.If(body=[ast.Assign() as only], orelse=[]):
            return _changed(only)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in loaded(value):
            return name
    return ""


def _computed_from(value: ast.expr) -> set[str]:
    """The names that are read where something is done with them."""
    return set() if isinstance(value, ast.Name) else loaded(value)


def _called_part(node: ast.AST) -> str:
    """The attribute of self that is called."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return name
    return ""
