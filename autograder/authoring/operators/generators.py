"""Mistakes that take a look at a node and yield what may stand in its place. To add one, copy `condition`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from autograder.authoring.operators.operator import Operator, adding_to, exchanged, expression, names, replaced, stored

GENERATORS: dict[str, Operator] = {}
_operator = adding_to(GENERATORS)


@_operator(ast.Assign, ast.Return, scoped=True)
def changed_in_place(node: ast.Assign | ast.Return, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """return x + f → x += f; return x: where x is the caller's"""
    if any(isinstance(one, ast.Lambda | ast.IfExp | ast.comprehension) for one in ast.walk(node)):
        return  # what is evaluated later, or perhaps never, cannot be moved to the front
    for term in (one for one in ast.walk(node) if isinstance(one, ast.BinOp)):
        arithmetic = isinstance(term.op, ast.Add | ast.Sub | ast.Mult | ast.Div)
        if arithmetic and isinstance(term.left, ast.Name) and term.left.id in _callers_names(function):
            change = ast.unparse(ast.AugAssign(term.left, term.op, term.right))
            yield ast.parse(f"{change}\n{ast.unparse(replaced(node, term, term.left))}")


@_operator(ast.Name, scoped=True)
def twin_taken(node: ast.Name, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """x @ w1 → x @ w2, where the function has both"""
    known = {name.id for name in names(function)} | {arg.arg for arg in function.args.args}
    for twin in sorted(known - {node.id}):
        if isinstance(node.ctx, ast.Load) and twin[:-1] == node.id[:-1] != "":
            yield ast.Name(twin)


@_operator(ast.Call)
def axis_or_dtype(node: ast.Call) -> Iterator[ast.AST]:
    """x.sum(axis=-1) → x.sum(axis=0), x.sum(); zeros(3, dtype=d) → zeros(3)"""
    for keyword in node.keywords:
        if keyword.arg in ("axis", "dim"):
            yield replaced(node, keyword.value, expression("-1" if ast.unparse(keyword.value) == "0" else "0"))
        if keyword.arg in ("axis", "dim", "dtype"):
            yield ast.Call(node.func, node.args, [other for other in node.keywords if other is not keyword])


@_operator(ast.Call, ast.Tuple)
def neighbours_swapped(node: ast.Call | ast.Tuple) -> Iterator[ast.AST]:
    """f(a, b) → f(b, a), also in what is packed or unpacked"""
    for left, right in pairwise(node.args if isinstance(node, ast.Call) else node.elts):
        if isinstance(left, ast.Name) and isinstance(right, ast.Name):
            yield exchanged(node, {id(left): right, id(right): left})


@_operator(ast.If)
def condition(node: ast.If) -> Iterator[ast.AST]:
    """if a → if True, if False, if not a"""
    for other in (ast.Constant(True), ast.Constant(False), ast.UnaryOp(ast.Not(), node.test)):
        yield replaced(node, node.test, other)


@_operator(ast.Expr, ast.Assign, ast.AugAssign, ast.Raise)
def statement_deleted(node: ast.stmt) -> Iterator[ast.AST]:
    """xs.append(x) → pass; no docstring, and no assignment without which a name would be missing"""
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not docstring and stored(node) <= {name.id for name in names(node) if isinstance(name.ctx, ast.Load)}:
        yield ast.Pass()


@_operator(ast.AugAssign)
def no_longer_added_up(node: ast.AugAssign) -> Iterator[ast.AST]:
    """self.grad += a → self.grad = a"""
    if isinstance(node.target, ast.Attribute):
        yield ast.Assign([node.target], node.value, lineno=node.lineno)


@_operator(ast.With)
def with_dropped(node: ast.With) -> Iterator[ast.AST]:
    """with torch.no_grad(): a → a"""
    yield ast.Module(node.body, [])


@_operator(ast.For, ast.ListComp, ast.GeneratorExp)
def loop_shortened(node: ast.For | ast.ListComp | ast.GeneratorExp) -> Iterator[ast.AST]:
    """for x in xs → for x in list(xs)[1:], list(xs)[:-1]"""
    for loop in [node] if isinstance(node, ast.For) else node.generators:
        items = ast.unparse(loop.iter)
        for slip in [] if items.startswith("range(") else (f"list({items})[1:]", f"list({items})[:-1]"):
            yield replaced(node, loop.iter, expression(slip))


@_operator(ast.Constant, ast.UnaryOp)
def constant(node: ast.Constant | ast.UnaryOp) -> Iterator[ast.AST]:
    """0 → 1, 1 → 2, 1 → 0, 0.5 → 1.0, 'depth' → 'DEPTH', ' | ' → ' |'"""
    source = ast.unparse(node)
    value = ast.literal_eval(source) if re.fullmatch(r"-?[\d.]+(e-?\d+)?|['\"].*", source) else None
    if isinstance(value, str):
        yield ast.Constant(value.swapcase() if value.swapcase() != value else value[:-1])
    elif value is not None:
        others = [2 * value or 1.0] if isinstance(value, float) else [value + 1] + [0] * (value == 1)
        yield from (expression(repr(other)) for other in others)


@_operator(ast.JoinedStr)
def formatted(node: ast.JoinedStr) -> Iterator[ast.AST]:
    """f'{x:>8.2e}' → f'{x:<8.2e}', f'{x:>9.2e}', f'{x:>8.3e}', f'{x:>8.2f}', f''"""
    for value in (one for one in node.values if isinstance(one, ast.FormattedValue)):
        for part in value.format_spec.values if isinstance(value.format_spec, ast.JoinedStr) else []:
            if isinstance(part, ast.Constant):
                yield from (replaced(node, part, ast.Constant(other)) for other in _other_formats(str(part.value)))
        yield replaced(node, value, ast.Constant(""))


def _callers_names(function: ast.FunctionDef) -> set[str]:
    """The names of what the caller passed: parameters without default, and what is unpacked from them."""
    parameters = function.args.args[: len(function.args.args) - len(function.args.defaults)]
    callers, others = {parameter.arg for parameter in parameters}, set[str]()
    for statement in function.body:
        source = statement.value if isinstance(statement, ast.Assign) else None
        (callers if isinstance(source, ast.Name) and source.id in callers else others).update(stored(statement))
    return callers - others


def _other_formats(spec: str) -> Iterator[str]:
    for pattern, other in ((r"^>", "<"), (r"^<", ">"), (r"e$", "f"), (r"f$", "e")):
        if re.search(pattern, spec):
            yield re.sub(pattern, other, spec)
    for digits in re.finditer(r"\d+", spec):
        yield f"{spec[: digits.start()]}{int(digits[0]) + 1}{spec[digits.end() :]}"
