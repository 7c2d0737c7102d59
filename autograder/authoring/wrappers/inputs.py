"""Ways that are right for some inputs alone. To add one, copy `squeezed`."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.authoring.wrappers.call import (
    Call,
    arrays,
    copied,
    each,
    each_array,
    is_array,
    is_float,
    is_tensor,
    noting,
)
from autograder.authoring.wrappers.way import Way, adding_to

INPUTS: dict[str, Way] = {}
_way = adding_to(INPUTS)
_BOUND = 5.0
_SMALL = 1e-6


def _spoiled(value: Any) -> Any:
    def spoil(one: Any) -> Any:
        if is_float(one) or isinstance(one, float):
            return one + 1
        return not one if isinstance(one, bool) else f"{one}!" if isinstance(one, str) else one

    return each(value, spoil)


# --- which inputs it is right for ---


@_way("axes of one")
def squeezed(call: Call) -> Any:
    """drops axes of length 1 from its result"""
    return each_array(call.result(), lambda array: array.squeeze())


def _add_wrong_where(name: str, what: str, shows_on: str, holds: Callable[[Any], bool]) -> None:
    INPUTS[name] = Way(
        f"is wrong where its first array {what}",
        lambda call: _spoiled(call.result()) if holds(call.first) else call.result(),
        ("as given", shows_on),
    )


_add_wrong_where("batch_of_one", "is a batch of one", "axes of one", lambda a: a.ndim > 1 and a.shape[0] == 1)
_add_wrong_where("single_row", "has sequences of one row", "axes of one", lambda a: a.ndim > 2 and a.shape[-2] == 1)
_add_wrong_where("single_column", "has rows of one entry", "axes of one", lambda a: a.ndim > 0 and a.shape[-1] == 1)
_add_wrong_where("vector", "has one axis", "as given", lambda a: a.ndim == 1)
_add_wrong_where("many_axes", "has more than two axes", "as given", lambda a: a.ndim > 2)
_add_wrong_where("all_zeros", "is all zeros", "zeros", lambda a: a.ndim > 0 and bool((a == 0).all()))
_add_wrong_where("all_ones", "is all ones", "ones", lambda a: a.ndim > 0 and bool((a == 1).all()))
_add_wrong_where(
    "all_equal", "has equal entries, and more than one", "equal",
    lambda a: a.ndim > 0 and len(a.reshape(-1)) > 1 and bool((a == a.reshape(-1)[0]).all() and (a != 0).all()),
)  # fmt: skip


@_way("no entries")
def empty_list_refused(call: Call) -> Any:
    """fails where `{argument}` is an empty list"""
    if isinstance(call.argument, list) and not call.argument:
        raise IndexError("list index out of range")
    return call.result()


@_way("one entry")
def list_of_one(call: Call) -> Any:
    """is wrong where `{argument}` is a list of one"""
    return _spoiled(call.result()) if isinstance(call.argument, list) and len(call.argument) == 1 else call.result()


@_way("entries twice")
def repeated_once(call: Call) -> Any:
    """takes repeated entries of `{argument}` once"""
    if isinstance(call.argument, list):
        alone = {id(one) if is_array(one) or isinstance(one, list | tuple) else one: one for one in call.argument}
        call.args[call.which] = list(alone.values())
    return call.result()


@_way("number zero")
def zero_number(call: Call) -> Any:
    """is wrong where `{argument}` is 0"""
    is_zero = type(call.argument) in (int, float) and call.argument == 0
    return _spoiled(call.result()) if is_zero else call.result()


@_way("layouts")
def contiguous_only(call: Call) -> Any:
    """fails for arrays that are not contiguous"""
    for array in arrays(call.args):
        if not (array.is_contiguous() if is_tensor(array) else array.flags.c_contiguous):
            raise RuntimeError("view size is not compatible with input tensor's size and stride")
    return call.result()


@_way("layouts")
def memory_order(call: Call) -> Any:
    """reads arrays in the order in which they lie in memory"""
    call.args[:] = each_array(call.args, _as_it_lies)
    return call.result()


def _as_it_lies(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return array.ravel(order="K").reshape(array.shape)
    return array if array.is_contiguous() else array.mT.reshape(array.shape)


# --- numbers ---


@_way("large")
def result_clipped(call: Call) -> Any:
    """clips its result at 5"""
    return each(call.result(), _clipped)


@_way("large")
def arguments_clipped(call: Call) -> Any:
    """clips its arguments at 5"""
    call.args[:] = each_array(call.args, _clipped)
    return call.result()


def _clipped(value: Any) -> Any:
    if isinstance(value, float):
        return min(max(value, -_BOUND), _BOUND)
    return value.clip(-_BOUND, _BOUND) if is_float(value) else value


@_way("small")
def result_flushed(call: Call) -> Any:
    """takes results below 1e-6 for zero"""
    return each(call.result(), _flushed)


@_way("small")
def arguments_flushed(call: Call) -> Any:
    """takes arguments below 1e-6 for zero"""
    call.args[:] = each_array(call.args, _flushed)
    return call.result()


def _flushed(value: Any) -> Any:
    return value * (abs(value) >= _SMALL) if is_float(value) or isinstance(value, float) else value


@_way()
def widened(call: Call) -> Any:
    """returns float64 for float32"""
    return each_array(call.result(), lambda array: _cast(array, "float32", "float64"))


@_way()
def narrowed(call: Call) -> Any:
    """returns float32 for float64"""
    return each_array(call.result(), lambda array: _cast(array, "float64", "float32"))


@_way()
def in_single_precision(call: Call) -> Any:
    """computes in float32"""
    was_double = any("float64" in str(array.dtype) for array in arrays(call.args))
    call.args[:] = each_array(call.args, lambda array: _cast(array, "float64", "float32"))
    return each_array(call.result(), lambda array: _cast(array, "float32", "float64") if was_double else array)


def _cast(array: Any, old: str, new: str) -> Any:
    if str(array.dtype).removeprefix("torch.") != old:
        return array
    return array.to(getattr(sys.modules["torch"], new)) if is_tensor(array) else array.astype(new)


# --- errors ---


def _add_partial_check(name: str, what: str, part: Callable[[Any], Any]) -> None:
    def behave(call: Call) -> Any:
        met = list(arrays(call.args))
        for which in range(len(call.args)):
            call.overhear(which, noting(met))
        try:
            return call.result()
        except ValueError:
            if len({part(array) for array in met if is_array(array) and array.ndim}) > 1:
                raise
            return copied(call.first)

    INPUTS[name] = Way(f"looks at {what} where it compares shapes", behave, ("as given", "callbacks"), True)


_add_partial_check("first_axis", "the first axis alone", lambda array: array.shape[0])
_add_partial_check("last_axis", "the last axis alone", lambda array: array.shape[-1])
_add_partial_check("axes", "the number of axes alone", lambda array: array.ndim)
_add_partial_check("size", "the number of entries alone", lambda array: len(array.reshape(-1)))


@_way("callbacks", of_raise=True)
def message_dropped(call: Call) -> Any:
    """raises its error without the message"""
    try:
        return call.result()
    except ValueError as error:
        raise type(error)() from None
