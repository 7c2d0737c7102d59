"""Changes that change nothing, and some that are nearly like them."""

from __future__ import annotations

import ast

import pytest

from autograder.authoring.handed_on import differs_in_what_is_handed_on
from autograder.authoring.sameness import normal_form

SAME = [
    ("abs(a - b)", "abs(b - a)"),
    ("np.abs(a - b)", "np.abs(-(a - b))"),
    ("(a - b).abs()", "(b - a).abs()"),
    ("(a - b) ** 2", "(b - a) ** 2"),
    ("np.square(-a)", "np.square(a)"),
    ("float(np.linalg.norm(a))", "np.linalg.norm(a)"),
    ("float('-inf')", "float('-INF')"),
    ("np.array(a, order='B')", "np.array(a, order='b')"),
    ("plt.plot(a, label='B')", "plt.plot(a, label='b')"),
    ("np.einsum('ij,jk->ik', a, b)", "np.einsum('IJ,JK->IK', a, b)"),
    ("(a @ w.detach() > 0)", "(a @ w > 0)"),
    ("(a > 0).to(b.dtype).detach()", "(a > 0).to(b.dtype)"),
]
OTHER = [
    ("a - b", "b - a"),
    ("(a - b) ** 3", "(b - a) ** 3"),
    ("np.exp(a - b)", "np.exp(b - a)"),
    ("float(a.item())", "a.item()"),
    ("f('B')", "f('b')"),
    ("np.einsum('ij,jk->ik', a, b)", "np.einsum('ij,jk->ki', a, b)"),
    ("w.detach() * a", "w * a"),
    ("a.detach()", "a"),
]


def normal(expression: str) -> str:
    (function,) = ast.parse(f"def f(a, b):\n    return {expression}").body
    assert isinstance(function, ast.FunctionDef)
    return normal_form(function)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_no_test_can_tell_apart_has_one_form(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_a_test_can_tell_apart_has_two(one: str, other: str) -> None:
    assert normal(one) != normal(other)


RIGHT = "def f(x, W):\n    z = x @ W\n    kept = (z, W)\n    return np.tanh(z), kept"


@pytest.mark.parametrize(
    ("mutant", "expected"),
    [
        (RIGHT.replace("(z, W)", "(W, z)"), True),
        (RIGHT.replace("np.tanh(z), kept", "np.tanh(z), z"), True),
        (RIGHT.replace("np.tanh(z), kept", "z, kept"), False),
        (RIGHT.replace("x @ W", "W @ x"), False),
        (RIGHT.replace("np.tanh(z), kept", "np.tanh(z)"), False),
    ],
)
def test_a_change_of_the_cache_alone_is_told_from_one_of_the_result(mutant: str, expected: bool) -> None:
    assert differs_in_what_is_handed_on(RIGHT, "f", mutant) is expected


def test_a_function_of_one_value_hands_nothing_on() -> None:
    assert not differs_in_what_is_handed_on("def f(x):\n    return x", "f", "def f(x):\n    return 2 * x")
