"""Ways that are right for some inputs alone. To add one, copy `squeezed`."""

import sys
from collections.abc import Callable
from typing import Any

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
_DIGITS = 4
_OTHER_DIGITS = str.maketrans("0123456789", "1234567890")


def _result(call: Call, is_wrong: bool) -> Any:
    def spoiled(one: Any) -> Any:
        if is_float(one) or isinstance(one, float):
            return one + 1
        return not one if isinstance(one, bool) else one.translate(_OTHER_DIGITS) if isinstance(one, str) else one

    return each(call.result(), spoiled) if is_wrong else call.result()


# --- which inputs it is right for ---


@_way("axes of one")
def squeezed(call: Call) -> Any:
    """drops axes of length 1 from its result"""
    return each_array(call.result(), lambda array: array.squeeze())


@_way("axes of one")
def thin(call: Call) -> Any:
    """is wrong where its first array has an axis of length 1"""
    return _result(call, 1 in call.first.shape)


@_way("as given")
def batch_added_up(call: Call) -> Any:
    """adds up the first of three axes of its result"""
    return each_array(call.result(), lambda array: array.sum(0) if array.ndim == 3 else array)


@_way("constant")
def constant(call: Call) -> Any:
    """is wrong where its first array is constant"""
    entries = call.first.reshape(-1)
    return _result(call, len(entries) > 1 and bool((entries == entries[0]).all()))


@_way("short lists")
def short_list(call: Call) -> Any:
    """is wrong where `{argument}` has fewer than two entries"""
    return _result(call, isinstance(call.argument, list) and len(call.argument) < 2)


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
    return _result(call, type(call.argument) in (int, float) and call.argument == 0)


@_way("layouts")
def contiguous_only(call: Call) -> Any:
    """takes its arrays to be contiguous"""
    call.args[:] = each_array(call.args, _as_it_lies)
    return call.result()


def _as_it_lies(array: Any) -> Any:
    if is_tensor(array):
        return array.view(-1).view(array.shape)
    return array.ravel(order="K").reshape(array.shape)


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

    def flushed(value: Any) -> Any:
        return value * (abs(value) >= _SMALL) if is_float(value) or isinstance(value, float) else value

    return each(call.result(), flushed)


@_way("as given")
def rounded(call: Call) -> Any:
    """rounds its result to four digits"""

    def cut(value: Any) -> Any:
        return (
            value.round(decimals=_DIGITS)
            if is_float(value)
            else round(value, _DIGITS)
            if isinstance(value, float)
            else value
        )

    return each(call.result(), cut)


@_way("as given")
def widened(call: Call) -> Any:
    """returns float64 for float32"""
    return each_array(call.result(), lambda array: _cast(array, "float32", "float64"))


@_way("as given")
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

    INPUTS[name] = Way(f"looks at {what} where it compares shapes", behave, ("callbacks",), True)


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
