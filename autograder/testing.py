"""What the test suites of an exercise import: the comparisons, and the mark that names a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest

from autograder.checks import compare, learning
from autograder.checks.compare import (
    Mismatch,
    assert_exact,
    assert_printed,
    assert_text,
    assert_unchanged,
    expect_bool,
    expect_object,
    expect_tuple,
    require,
)
from autograder.checks.findings import told_later
from autograder.checks.learning import assert_falls
from autograder.values import module_gradients

__all__ = [
    "Mismatch",
    "assert_close",
    "assert_exact",
    "assert_falls",
    "assert_printed",
    "assert_same_module",
    "assert_text",
    "assert_unchanged",
    "expect_bool",
    "expect_object",
    "expect_tuple",
    "module_gradients",
    "require",
    "task",
    "told_later",
]

distances: list[float] = []  # of all comparisons since somebody last emptied it: errors as multiples of the allowed one

Test = TypeVar("Test", bound=Callable[..., Any])


def task(name: str, weight: float = 1) -> Callable[[Test], Test]:
    """Say which task a test belongs to, and its share of the points among that task's tests.

    The suite reads it back from `pytest.mark.task`: `args == (name,)`, `kwargs == {"weight": w}`. Public tests have the
    same mark from checks/runtime.py, where `check(...)` reads it.
    """
    if not weight > 0:
        raise ValueError(f"the weight of a test of {name!r} must be positive, not {weight!r}")

    def mark(test: Test) -> Test:
        marked: Test = pytest.mark.task(name, weight=weight)(test)
        return marked

    return mark


def assert_close(
    actual: object,
    expected: object,
    what: str = "the result",
    *,
    rtol: float | None = None,
    axes: str = "",
    inputs: Mapping[str, object] | None = None,
) -> None:
    """Raise Mismatch unless `actual` is `expected` within the tolerance of its dtype, as `compare.assert_close` does.

    How near it was is noted: that is how a suite's tolerances are judged.
    """
    distances.append(compare.distance(actual, expected, rtol=rtol))
    if not distances[-1] <= 1:
        compare.assert_close(actual, expected, what, rtol=rtol, axes=axes, inputs=inputs)


def assert_same_module(student: Any, module: Any, expected: Any, *inputs: Any, upstream: Any = None) -> None:
    """As `learning.assert_same_module`; how near each comparison was is noted."""
    learning.assert_same_module(student, module, expected, *inputs, upstream=upstream, close=assert_close)
