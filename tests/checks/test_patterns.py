"""A pattern is told where a wrong array was made with it, and never where it was not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from autograder.checks.patterns import pattern
from autograder.checks.tolerance import Tolerance, tolerance_for

Array = NDArray[Any]
DOUBLE = tolerance_for("float64")
SHAPES = st.sampled_from([(9,), (3, 4), (4, 4), (3, 3, 3), (2, 3, 4)])
SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.sampled_from([1e-20, 1e-3, 1.0, 1e8])

SIGN = "all sizes are right, but not all signs"
FACTOR = "every entry is off by the same factor"
AMOUNT = "every entry is off by the same amount"
TRANSPOSED = "transposed, it would agree"
TURNED = "turned round along the first axis, it would agree"
PLACES = "the right entries are all there, in other places"
MADE: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    SIGN: lambda x, rng: -x,
    FACTOR: lambda x, rng: x * rng.uniform(1.5, 4),
    AMOUNT: lambda x, rng: x + abs(x).max() * rng.uniform(0.5, 4),
    PLACES: lambda x, rng: np.roll(x.ravel(), 2).reshape(x.shape),
    TURNED: lambda x, rng: x[::-1],
    "yours is x itself": lambda x, rng: given_input(x),
    "the difference is x itself, entry by entry": lambda x, rng: x - given_input(x),
}
OTHERS: list[Callable[[Array, np.random.Generator], Array]] = [
    lambda x, rng: rng.standard_normal(x.shape) * abs(x).max(),
    lambda x, rng: x + rng.standard_normal(x.shape) * abs(x).max(),
    lambda x, rng: np.tanh(x / abs(x).max()) * abs(x).max(),
    lambda x, rng: x * rng.standard_normal(x.shape),
    lambda x, rng: np.where(rng.random(x.shape) < 0.5, x, 2 * x + abs(x).max()),
]


def given_input(x: Array) -> Array:
    """What the tests say is an input of the function that should return `x`."""
    return np.cos(np.arange(x.size)).reshape(x.shape) * abs(x).max()


def right(seed: int, shape: tuple[int, ...], scale: float = 1.0, dtype: Any = np.float64) -> Array:
    return (scale * np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


def told(got: Array, want: Array, tolerance: Tolerance | None = DOUBLE) -> str:
    return pattern(got, want, tolerance, {"x": given_input(want)})


@pytest.mark.parametrize("said", MADE)
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, shape=SHAPES, scale=SCALES)
def test_a_pattern_is_told_where_it_was_made(said: str, seed: int, shape: tuple[int, ...], scale: float) -> None:
    want = right(seed, shape, scale)
    assert told(MADE[said](want, np.random.default_rng(seed)), want) == said


@pytest.mark.parametrize("other", OTHERS)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, shape=SHAPES, scale=SCALES)
def test_none_is_told_of_what_was_made_otherwise(
    other: Callable[[Array, np.random.Generator], Array], seed: int, shape: tuple[int, ...], scale: float
) -> None:
    want = right(seed, shape, scale)
    assert told(other(want, np.random.default_rng(seed + 1)), want) == ""


@settings(max_examples=60, deadline=None)
@given(
    want=st.lists(st.integers(-6, 6), min_size=1, max_size=6),
    factor=st.sampled_from([-1.0, 0.5, 2.0, 3.0]),
    shift=st.sampled_from([1.0, -2.0]),
)
def test_few_small_whole_numbers_prove_neither_a_factor_nor_an_amount(
    want: list[int], factor: float, shift: float
) -> None:
    expected = np.array(want, dtype=float)
    assert pattern(factor * expected, expected, DOUBLE) in (
        "",
        SIGN,
        TURNED,
    )
    assert pattern(expected + shift, expected, DOUBLE) not in (FACTOR, AMOUNT)


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3,), (1, 3)])
@pytest.mark.parametrize("said", MADE)
def test_one_to_three_entries_prove_nothing(shape: tuple[int, ...], said: str) -> None:
    want = right(3, shape)
    if said != TURNED or shape:
        assert told(MADE[said](want, np.random.default_rng(3)), want) == ""


def test_what_two_patterns_explain_is_told_by_neither() -> None:
    x = right(1, (4, 4))
    want = x - x.T
    assert pattern(want.T, want, DOUBLE) == ""


def test_a_wide_bar_proves_nothing() -> None:
    want = right(1, (3, 4))
    assert pattern(2 * want, want, tolerance_for("float64", 0.1)) == ""
    assert pattern(2 * want, want, tolerance_for("float64", 1e-4)) == FACTOR


def test_whole_and_complex_numbers_have_no_pattern() -> None:
    assert pattern(-np.arange(9), np.arange(9), None) == ""
    assert pattern(-(1j * right(1, (9,))), 1j * right(1, (9,)), tolerance_for("complex128")) == ""


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_less_precise_dtypes_have_patterns_too(dtype: Any) -> None:
    want = right(5, (4, 5), dtype=dtype)
    tolerance = tolerance_for(want.dtype.name)
    assert pattern(-want, want, tolerance) == SIGN
    assert pattern((want * 3).astype(dtype), want, tolerance) == FACTOR
    assert pattern(right(6, (4, 5), dtype=dtype), want, tolerance) == ""


# --- axes ---


@pytest.mark.parametrize(
    ("shape", "order", "axes", "said"),
    [
        ((4, 4), (1, 0), "", TRANSPOSED),
        ((3, 3, 3), (2, 1, 0), "", "with the first axis and the last axis exchanged, it would agree"),
        ((3, 3, 3), (2, 1, 0), "BTC", "with the axis B and the axis C exchanged, it would agree"),
        ((2, 3, 3), (0, 2, 1), "", "with the second axis and the last axis exchanged, it would agree"),
        ((3, 3, 3), (1, 2, 0), "", "with its axes in another order, it would agree"),
    ],
)
def test_axes_in_another_order_are_told(shape: tuple[int, ...], order: tuple[int, ...], axes: str, said: str) -> None:
    want = right(2, shape)
    assert pattern(want.transpose(order), want, DOUBLE, axes=axes) == said


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, shape=st.sampled_from([(4, 5), (3, 4, 5)]), axis=st.integers(0, 1), scale=SCALES)
def test_what_is_the_same_all_along_an_axis_is_told(seed: int, shape: tuple[int, ...], axis: int, scale: float) -> None:
    want, rng = right(seed, shape, scale), np.random.default_rng(seed + 1)
    one = rng.uniform(1.5, 3, [1 if i == axis else n for i, n in enumerate(shape)])
    where = f"all along the {('first', 'second')[axis]} axis"
    assert told(want + abs(want).max() * one, want) == f"the difference is the same {where}"
    assert told(want * one, want) == f"the factor between yours and the right entries is the same {where}"
    averaged = np.broadcast_to(want.mean(axis=axis, keepdims=True), shape)
    assert told(averaged, want) == f"yours is the same {where}"
