"""Every way to misbehave, around a function that it makes a difference to and around one that it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from autograder.authoring.wrappers.odd_results import ODD_RESULTS
from autograder.authoring.wrappers.probe import found_in, probed
from autograder.authoring.wrappers.ways import WAYS


def makes_a_difference(way: str, right: Callable[..., Any], *args: Any, which: int = 0) -> bool:
    """Whether a probe around a function that raises errors of its own finds the way."""
    with pytest.raises(RuntimeError) as raised:
        probed([(way, which)], True)(right)(*args)
    return found_in(str(raised.value)) == {0}


def double(x):
    return 2 * x


def with_cache(x):
    return 2 * x, x + 1


def total(numbers):
    return float(sum(numbers))


def added(x, f):
    branch = f(x)
    if branch.shape != x.shape:
        raise ValueError(f"{x.shape} and {branch.shape}")
    return x + branch


def slope(f, x, y):
    """The difference of f in its second argument, beside its value."""
    return float(f(x, y)[0]), float((f(x, y + 1) - f(x, y - 1))[0])


ARRAY = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
SHOWN: dict[str, tuple[Any, ...]] = {
    "written_into": (double, ARRAY),
    "emptied": (total, [1.0, 2.0]),
    "callback_written_into": (added, ARRAY, np.tanh),
    "remembered_by_id": (double, ARRAY),
    "remembered_by_shape": (double, ARRAY),
    "shared": (with_cache, ARRAY),
    "squeezed": (double, ARRAY),
    "thin": (double, ARRAY),
    "constant": (double, ARRAY),
    "short_list": (total, [1.0, 2.0]),
    "repeated_once": (total, [1.0, 2.0]),
    "zero_number": (double, 3.0),
    "contiguous_only": (double, ARRAY),
    "result_clipped": (double, ARRAY),
    "arguments_clipped": (double, ARRAY),
    "result_flushed": (double, ARRAY),
    "rounded": (double, ARRAY / 3),
    "batch_added_up": (double, np.ones((2, 3, 4))),
    "widened": (double, ARRAY.astype(np.float32)),
    "displaced": (slope, lambda x, y: x * y**2, ARRAY[0], ARRAY[1]),
    "in_single_precision": (double, ARRAY / 3),
    "traces_left": (double, torch.ones(3)),
    "first_axis": (added, ARRAY, np.tanh),
    "last_axis": (added, ARRAY, np.tanh),
    "axes": (added, ARRAY, np.tanh),
    "size": (added, ARRAY, np.tanh),
    "message_dropped": (added, ARRAY, np.tanh),
}
WHICH = {"callback_written_into": 1}
OF_TUPLES = {"None first", "a text first", "an array of objects first"}


def test_every_way_is_in_the_table_or_always_makes_a_difference() -> None:
    always = {name for name, way in WAYS.items() if not way.shows_on}
    assert {*SHOWN, *OF_TUPLES} | always == set(WAYS)
    assert always == {*ODD_RESULTS, "modes_left"} - OF_TUPLES


@pytest.mark.parametrize("way", SHOWN)
def test_a_way_is_found_where_it_makes_a_difference(way: str) -> None:
    assert makes_a_difference(way, *SHOWN[way], which=WHICH.get(way, 0))


@pytest.mark.parametrize("way", sorted(OF_TUPLES))
def test_a_first_place_is_that_of_a_tuple(way: str) -> None:
    assert makes_a_difference(way, with_cache, ARRAY)
    assert not makes_a_difference(way, double, ARRAY)


@pytest.mark.parametrize("way", SHOWN)
def test_a_way_is_not_found_around_a_function_of_nothing(way: str) -> None:
    assert not makes_a_difference(way, lambda text: "always the same", "text")


@pytest.mark.parametrize(
    "way", ["written_into", "callback_written_into", "squeezed", "result_clipped", "repeated_once"]
)
def test_a_number_is_not_written_into_clipped_or_squeezed(way: str) -> None:
    assert not makes_a_difference(way, lambda x, n: (x.shape, 2 * n), ARRAY, 3, which=1)


def test_truth_values_are_turned_round_where_they_are_written_into() -> None:
    assert makes_a_difference("written_into", lambda mask: ~mask, ARRAY > 0)


def test_a_result_that_holds_an_argument_is_no_difference() -> None:
    assert not makes_a_difference("callback_written_into", lambda x: (2 * x, x), ARRAY)


def test_one_probe_tells_all_that_it_has_found() -> None:
    tried = [("squeezed", 0), ("emptied", 0), ("constant", 0)]
    with pytest.raises(RuntimeError) as raised:
        probed(tried, False)(double)(ARRAY)
    assert found_in(f"RuntimeError: {raised.value} (cell 3, line 2)") == {0, 2}
    assert found_in("any other message") == set()
