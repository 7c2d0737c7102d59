"""Every way to misbehave, around a function that it makes a difference to and around one that it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

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
    "returned_itself": (double, ARRAY),
    "callback_written_into": (added, ARRAY, np.tanh),
    "first_remembered": (double, ARRAY),
    "remembered_by_id": (double, ARRAY),
    "remembered_by_shape": (double, ARRAY),
    "remembered_by_first_entry": (double, ARRAY),
    "one_result_for_all": (double, ARRAY),
    "one_cache_for_all": (with_cache, ARRAY),
    "once_for_each_object": (double, ARRAY),
    "squeezed": (double, ARRAY),
    "batch_of_one": (double, ARRAY),
    "single_row": (double, np.ones((2, 3, 4))),
    "single_column": (double, ARRAY),
    "vector": (double, ARRAY[0]),
    "many_axes": (double, ARRAY[None]),
    "all_zeros": (double, ARRAY),
    "all_ones": (double, ARRAY),
    "all_equal": (double, ARRAY),
    "empty_list_refused": (total, [1.0, 2.0]),
    "list_of_one": (total, [1.0, 2.0]),
    "repeated_once": (total, [1.0, 2.0]),
    "zero_number": (double, 3.0),
    "contiguous_only": (double, ARRAY),
    "memory_order": (double, ARRAY),
    "result_clipped": (double, ARRAY),
    "arguments_clipped": (double, ARRAY),
    "result_flushed": (double, ARRAY),
    "arguments_flushed": (double, ARRAY),
    "widened": (double, ARRAY.astype(np.float32)),
    "narrowed": (double, ARRAY),
    "in_single_precision": (double, ARRAY / 3),
    "grad_required": (double, torch.ones(3)),
    "grad_left": (double, torch.ones(3)),
    "grad_mode_left": (double, torch.ones(3)),
    "error_state_left": (double, ARRAY),
    "random_state_left": (double, ARRAY),
    "first_axis": (added, ARRAY, np.tanh),
    "last_axis": (added, ARRAY, np.tanh),
    "axes": (added, ARRAY, np.tanh),
    "size": (added, ARRAY, np.tanh),
    "message_dropped": (added, ARRAY, np.tanh),
}
WHICH = {"callback_written_into": 1}
DISPLACED = {f"displaced_{place}" for place in range(3)}


def test_every_way_is_in_the_table() -> None:
    assert {*SHOWN, *DISPLACED} == set(WAYS)


@pytest.mark.parametrize("way", SHOWN)
def test_a_way_is_found_where_it_makes_a_difference(way: str) -> None:
    assert makes_a_difference(way, *SHOWN[way], which=WHICH.get(way, 0))


@pytest.mark.parametrize(
    "way", sorted({*SHOWN, *DISPLACED} - {"error_state_left", "random_state_left", "grad_mode_left"})
)
def test_a_way_is_not_found_around_a_function_of_nothing(way: str) -> None:
    assert not makes_a_difference(way, lambda text: "always the same", "text")


def test_a_displaced_question_is_found_where_the_answers_are_no_straight_line() -> None:
    one = np.array([1.0])
    assert makes_a_difference("displaced_1", slope, lambda x, y: x * y**2, one, one)
    assert not makes_a_difference("displaced_0", slope, lambda x, y: x * y**2, one, one)


@pytest.mark.parametrize(
    "way", ["written_into", "callback_written_into", "squeezed", "result_clipped", "repeated_once"]
)
def test_a_number_is_not_written_into_clipped_or_squeezed(way: str) -> None:
    assert not makes_a_difference(way, lambda x, n: (x.shape, 2 * n), ARRAY, 3, which=1)


def test_a_result_that_holds_an_argument_is_no_difference() -> None:
    assert not makes_a_difference("callback_written_into", lambda x: (2 * x, x), ARRAY)


def test_one_probe_tells_all_that_it_has_found() -> None:
    tried = [("squeezed", 0), ("emptied", 0), ("all_ones", 0)]
    with pytest.raises(RuntimeError) as raised:
        probed(tried, False)(double)(ARRAY)
    assert found_in(f"RuntimeError: {raised.value} (cell 3, line 2)") == {0, 2}
    assert found_in("any other message") == set()
