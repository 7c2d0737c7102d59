"""Other arguments like those that a test has handed over: what it takes to see that a function goes a wrong way."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autograder.authoring.wrappers.call import arrays, each_array, is_array, is_float, is_tensor

_MOST_SIZES = 4


def _with(args: list[Any], place: int, new: Any) -> list[Any]:
    return [*args[:place], new, *args[place + 1 :]]


def _as_given(args: list[Any]) -> Iterator[list[Any]]:
    yield args


def _axes_of_one(args: list[Any]) -> Iterator[list[Any]]:
    """All axes of one size cut to their first entry, each size in turn."""
    sizes = sorted({size for array in arrays(args) for size in array.shape if size > 1})
    for size in sizes[:_MOST_SIZES]:
        yield each_array(args, partial(_cut, size))
    for place, one in enumerate(args):
        if is_array(one) and one.ndim:
            yield _with(args, place, one[:1])


def _cut(size: int, array: Any) -> Any:
    return array[tuple(slice(0, 1 if n == size else n) for n in array.shape)]


def _floats(change: Callable[[Any], Any]) -> Callable[[list[Any]], Iterator[list[Any]]]:
    def vary(args: list[Any]) -> Iterator[list[Any]]:
        changed = each_array(args, lambda array: change(array) if is_float(array) and array.ndim else array)
        yield changed
        first = next((place for place, one in enumerate(args) if is_array(one)), None)
        if first is not None:
            yield _with(args, first, changed[first])

    return vary


def _layouts(args: list[Any]) -> Iterator[list[Any]]:
    """Arrays whose columns lie side by side, and arrays with gaps."""
    yield each_array(args, lambda array: _by_columns(array) if array.ndim > 1 else array)
    yield each_array(
        args, lambda array: array if is_tensor(array) or not array.ndim else np.repeat(array, 2, -1)[..., ::2]
    )


def _by_columns(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return np.asfortranarray(array)
    return array.detach().mT.contiguous().mT.requires_grad_(array.requires_grad)


def _short_lists(args: list[Any]) -> Iterator[list[Any]]:
    for place, one in enumerate(args):
        if isinstance(one, list):
            yield _with(args, place, one[:1])
            yield _with(args, place, [])


def _entries_twice(args: list[Any]) -> Iterator[list[Any]]:
    for place, one in enumerate(args):
        if isinstance(one, list):
            yield _with(args, place, one + one)


def _number_zero(args: list[Any]) -> Iterator[list[Any]]:
    for place, one in enumerate(args):
        if type(one) in (int, float):
            yield _with(args, place, type(one)(0))


def _callbacks(args: list[Any]) -> Iterator[list[Any]]:
    """Functions that return their argument, or a part or another shape of it, or ask about other numbers."""
    own: list[Callable[[Any], Any]] = [
        lambda f: lambda x, *rest: x,
        lambda f: lambda x, *rest: x[:1],
        lambda f: lambda x, *rest: x[..., :1],
        lambda f: lambda x, *rest: x.reshape(-1),
        lambda f: lambda *given: f(*each_array(given, lambda array: array**3)),
    ]
    if any(map(callable, args)):
        for change in own:
            yield [change(one) if callable(one) else one for one in args]


VARIATIONS: dict[str, Callable[[list[Any]], Iterator[list[Any]]]] = {
    "as given": _as_given,
    "axes of one": _axes_of_one,
    "large": _floats(lambda array: array * 1e3),
    "small": _floats(lambda array: array * 1e-9),
    "constant": _floats(lambda array: array * 0 + 0.7),
    "layouts": _layouts,
    "short lists": _short_lists,
    "entries twice": _entries_twice,
    "number zero": _number_zero,
    "callbacks": _callbacks,
}
