"""Ways that write into what they are given, remember, or leave something behind. To add one, copy `emptied`."""

import sys
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
    write_into,
)
from autograder.authoring.wrappers.way import Way, adding_to

STATE: dict[str, Way] = {}
_way = adding_to(STATE)


# --- what is done to arguments ---


@_way("as given")
def written_into(call: Call) -> Any:
    """writes into the arrays of `{argument}`"""
    result = copied(call.result())
    write_into(call.argument)
    return result


@_way("as given")
def emptied(call: Call) -> Any:
    """empties `{argument}`"""
    result = call.result()
    if isinstance(call.argument, list | dict):
        call.argument.clear()
    return result


@_way("as given", "callbacks")
def callback_written_into(call: Call) -> Any:
    """writes into what `{argument}` has returned"""
    returned: list[Any] = []
    call.overhear(call.which, noting(returned))
    result = copied(call.result())
    write_into(returned)
    return result


@_way("as given", "callbacks")
def displaced(call: Call) -> Any:
    """asks `{argument}` at another place where it varies one value alone"""
    asked: list[Any] = []

    def ask(function: Any, args: tuple[Any, ...]) -> Any:
        asked.append(copied(args))
        varied = [at for at, (old, new) in enumerate(zip(asked[0], args, strict=False)) if not np.array_equal(old, new)]
        return function(*(one + 0.5 if varied == [at] else one for at, one in enumerate(args)))

    call.overhear(call.which, ask)
    return call.result()


# --- what is remembered ---


@_way("as given")
def remembered_by_id(call: Call) -> Any:
    """remembers results by which object `{argument}` is"""
    if not (is_array(call.argument) or isinstance(call.argument, list | tuple | dict)):
        return call.result()
    call.memory.setdefault("alive", []).append(call.argument)  # so that no other object gets its number
    return _remembered(call, id(call.argument))


@_way("as given")
def remembered_by_shape(call: Call) -> Any:
    """remembers results by the shapes of its arrays"""
    return _remembered(call, _shapes(call.args))


def _remembered(call: Call, key: Any) -> Any:
    if key not in call.memory:
        call.memory[key] = call.result()
    return call.memory[key]


def _shapes(value: Any) -> str:
    return repr(each(value, lambda one: tuple(one.shape) if is_array(one) else callable(one) or one))


@_way("as given")
def shared(call: Call) -> Any:
    """returns one result, or cache, for all calls, updated in place"""
    result = call.result()
    if isinstance(result, tuple) and len(result) > 1:
        return (result[0], *_updated(call, result[1:]))
    return _updated(call, result)


def _updated(call: Call, new: Any) -> Any:
    old = call.memory.get("shared")
    if old is None or _shapes(each_array(old, np.shape)) != _shapes(each_array(new, np.shape)):
        call.memory["shared"] = copied(new)
    else:
        for there, here in zip(arrays(old), arrays(new), strict=True):
            (there.data if is_tensor(there) else there)[...] = here.detach() if is_tensor(here) else here
    return call.memory["shared"]


# --- what is left behind ---


@_way("as given")
def traces_left(call: Call) -> Any:
    """leaves its tensors with gradients, and requiring them"""
    result = call.result()
    for array in arrays(call.args):
        if is_tensor(array) and array.is_leaf and is_float(array):
            array.grad = array.detach().clone()
            array.requires_grad_()
    return result


@_way()
def modes_left(call: Call) -> Any:
    """leaves the modes of NumPy or torch changed"""
    result = call.result()
    if torch := sys.modules.get("torch"):
        torch.set_grad_enabled(False)
    else:
        np.seterr(all="raise")
    return result
