"""Mistakes that are a rule: what is there, and what a slip makes of it. To add one, add a line.

A small letter stands for any expression but a text, a capital one for a name, `_` for any attribute; r for the array
that is returned or assigned.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from autograder.authoring.operators.operator import Operator, expression, filled, is_value, replaced

_EACH_OTHER = [
    ("a < b", "a <= b"), ("a > b", "a >= b"), ("a < b", "a > b"), ("a == b", "a != b"), ("a is b", "a is not b"),
    ("a in b", "a not in b"), ("a and b", "a or b"), ("True", "False"), ("ValueError", "TypeError"),
    ("a.sum", "a.mean"), ("a.max", "a.min"), ("a.zeros", "a.ones"), ("a.zeros_like", "a.ones_like"),
    ("a.exp", "a.expm1"), ("a.log", "a.log1p"), ("a.std", "a.var"),
]  # fmt: skip
_ONLY_A = [
    "-a", "~a", "not a", "a.T", "a.transpose(b, c)", "a.swapaxes(b, c)", "np.swapaxes(a, b, c)", "a[b:]",
    "F(a)", "np._(a)", "torch._(a)", "a._()", "a.astype(b)", "a.to(b)", "a.softmax(dim=b)", "f.softmax(a, dim=b)",
]  # fmt: skip
_RULES = [
    ("a + b", "a - b", "a", "b", "a + a + b", "a + b + b"),
    ("a - b", "a + b", "b - a", "a", "b"),
    ("a * b", "a / b", "a", "b"),
    ("a / b", "a * b", "b / a", "a"),
    ("a // b", "a / b", "a"), ("a % b", "a // b", "a"), ("a ** b", "a * b", "a"),
    ("a @ b", "a * b", "b @ a", "a", "b"), ("a @ B", "a @ B.T"), ("A @ b", "A.T @ b"), ("~A", "~A.T"),
    ("a if c else b", "a", "b", "b if c else a"),
    ("a[:b]", "a", "a[:b - 1]"), ("a[b, c]", "a[c, b]", "a"), ("a.shape[b]", "3"),
    ("range(a)", "range(a - 1)"), ("range(a, b)", "range(a, b - 1)", "range(b)"),
    ("a.max", "a.mean"), ("a.tanh", "a.arctan"), ("a.relu", "a.abs"), ("a.randn", "a.rand"),
    ("a.inf", "10.0", "0.0"), ("float('-inf')", "-10.0", "0.0"),
]  # fmt: skip
_TORCH_RULES = [
    ("A + b", "A.detach() + b"), ("a + B", "a + B.detach()"), ("f(a)", "f(a).detach()"),
    ("A @ b", "A.detach() @ b"), ("a @ B", "a @ B.detach()"),
    ("a.sigmoid", "a.tanh"), ("a.gelu", "a.relu"), ("a.softplus", "a.relu"), ("a.softmax", "a.log_softmax"),
    ("a.softmax(dim=b)", "a.exp() / a.exp().sum(dim=b, keepdim=True)"),
    ("f.softmax(a, dim=b)", "a.exp() / a.exp().sum(dim=b, keepdim=True)"),
]  # fmt: skip
_RESULTS = [(None, "-r"), ("numpy", "r.astype(np.float32)"), ("torch", "r.to(torch.float32)")]

RULES: dict[str, Operator] = {}  # each by its text


def _add_rule(framework: str | None, rule: str, *slips: str) -> None:
    change = partial(_rewritten, expression(rule), [expression(slip) for slip in slips])
    RULES[f"{rule} → {' | '.join(slips)}"] = Operator(change, framework)


def _rewritten(rule: ast.expr, slips: list[ast.expr], node: ast.AST, _: ast.FunctionDef) -> Iterator[ast.AST]:
    found: dict[str, ast.AST] = {}
    if _matches(rule, node, found):
        yield from (filled(slip, found) for slip in slips)


def _matches(rule: object, node: object, found: dict[str, ast.AST]) -> bool:
    """Whether `node` has the form of `rule`; what its letters stand for goes into `found`."""
    if isinstance(rule, ast.Name) and len(rule.id) == 1 and isinstance(node, ast.expr):
        found[rule.id] = node
        return isinstance(node, ast.Name) if rule.id.isupper() else is_value(node)
    if isinstance(rule, list) and isinstance(node, list):
        return len(rule) == len(node) and all(_matches(*pair, found) for pair in zip(rule, node, strict=True))
    if isinstance(rule, ast.AST) and type(rule) is type(node):
        fields = [field for field in rule._fields if field not in ("ctx", "kind")]
        return all(_matches(getattr(rule, field), getattr(node, field), found) for field in fields)
    return type(rule) is type(node) and rule in (node, "_")


def _result_changed(slip: ast.expr, node: ast.AST, _: ast.FunctionDef) -> Iterator[ast.AST]:
    if isinstance(node, ast.Return | ast.Assign) and node.value:
        kinds = (ast.BinOp,) if isinstance(node, ast.Assign) else (ast.BinOp, ast.Call)
        for value in node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]:
            if isinstance(value, kinds) and not re.match(r"(float|bool|tuple)\(|.*\.(item|join)\(", ast.unparse(value)):
                yield replaced(node, value, filled(slip, {"r": value}))


_RULES += [*_EACH_OTHER, *((other, one) for one, other in _EACH_OTHER), *((rule, "a") for rule in _ONLY_A)]
for _rule in [*_RULES, *_TORCH_RULES]:
    _add_rule("torch" if _rule in _TORCH_RULES else None, *_rule)
for _framework, _slip in _RESULTS:
    RULES[f"r → {_slip}"] = Operator(partial(_result_changed, expression(_slip)), _framework)
