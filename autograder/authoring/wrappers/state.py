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


def _shapes(value: Any) -> str:
    return repr(each(value, lambda one: tuple(one.shape) if is_array(one) else one))


# --- what is done to arguments ---


@_way()
def written_into(call: Call) -> Any:
    """writes into the arrays of `{argument}`"""
    result = copied(call.result())
    write_into(call.argument)
    return result


@_way()
def emptied(call: Call) -> Any:
    """empties `{argument}`"""
    result = call.result()
    if isinstance(call.argument, list | dict):
        call.argument.clear()
    return result


@_way()
def returned_itself(call: Call) -> Any:
    """returns `{argument}` itself, with the result written into it"""
    result = call.result()
    several = isinstance(result, tuple) and result
    new, old = result[0] if several else result, call.argument
    if not (is_array(new) and is_array(old) and (new.shape, new.dtype) == (old.shape, old.dtype)):
        return result
    with_new = old.data if is_tensor(old) else old
    with_new[...] = new.detach() if is_tensor(new) else new
    return (old, *result[1:]) if several else old


@_way("callbacks")
def callback_written_into(call: Call) -> Any:
    """writes into what `{argument}` has returned"""
    returned: list[Any] = []
    call.overhear(call.which, noting(returned))
    result = copied(call.result())
    write_into(returned)
    return result


def _add_displaced(place: int) -> None:
    number = ("first", "second", "third")[place]

    def displaced(call: Call) -> Any:
        asked: list[Any] = []

        def ask(function: Any, args: tuple[Any, ...]) -> Any:
            asked.append(copied(args))
            pairs = zip(asked[0], args, strict=False)
            if [at for at, pair in enumerate(pairs) if not np.array_equal(*pair)] == [place]:
                args = (*args[:place], args[place] + 0.5, *args[place + 1 :])
            return function(*args)

        call.overhear(call.which, ask)
        return call.result()

    does = f"asks `{{argument}}` at another {number} value where it varies it"
    STATE[f"displaced_{place}"] = Way(does, displaced, ("as given", "callbacks"))


for _place in range(3):
    _add_displaced(_place)


# --- what is remembered ---


@_way()
def first_remembered(call: Call) -> Any:
    """returns its first result for ever"""
    return _remembered(call, "")


@_way()
def remembered_by_id(call: Call) -> Any:
    """remembers results by which object `{argument}` is"""
    if not (is_array(call.argument) or isinstance(call.argument, list | tuple | dict)):
        return call.result()
    call.memory.setdefault("alive", []).append(call.argument)  # so that no other object gets its number
    return _remembered(call, id(call.argument))


@_way()
def remembered_by_shape(call: Call) -> Any:
    """remembers results by the shapes of its arrays"""
    return _remembered(call, _shapes(call.args))


@_way()
def remembered_by_first_entry(call: Call) -> Any:
    """remembers results by the shapes and first entries of its arrays"""
    firsts = [float(array.reshape(-1)[0]) for array in arrays(call.args) if is_float(array) and 0 not in array.shape]
    return _remembered(call, (_shapes(call.args), *firsts))


def _remembered(call: Call, key: Any) -> Any:
    if key not in call.memory:
        call.memory[key] = call.result()
    return call.memory[key]


@_way()
def one_result_for_all(call: Call) -> Any:
    """returns one object for all calls, updated in place"""
    return _shared(call, call.result())


@_way()
def one_cache_for_all(call: Call) -> Any:
    """shares what it returns after the first value, a cache, among all calls"""
    result = call.result()
    if not (isinstance(result, tuple) and len(result) > 1):
        return result
    return (result[0], *(_shared(call, one, place) for place, one in enumerate(result[1:])))


def _shared(call: Call, new: Any, place: int = 0) -> Any:
    old = call.memory.get(place)
    if old is None or _shapes(each_array(old, np.shape)) != _shapes(each_array(new, np.shape)):
        call.memory[place] = copied(new)
    else:
        for there, here in zip(arrays(old), arrays(new), strict=True):
            (there.data if is_tensor(there) else there)[...] = here.detach() if is_tensor(here) else here
    return call.memory[place]


@_way()
def once_for_each_object(call: Call) -> Any:
    """fails where it is given `{argument}`, the same object, again"""
    if is_array(call.argument) or isinstance(call.argument, list | dict):
        seen = call.memory.setdefault("seen", [])
        if any(one is call.argument for one in seen):
            raise RuntimeError("this was given before")
        seen.append(call.argument)
    return call.result()


# --- what is left behind ---


@_way()
def grad_required(call: Call) -> Any:
    """leaves its tensors requiring gradients"""
    result = call.result()
    for array in arrays(call.args):
        if is_tensor(array) and array.is_leaf and is_float(array):
            array.requires_grad_()
    return result


@_way()
def grad_left(call: Call) -> Any:
    """leaves gradients on its tensors"""
    result = call.result()
    for array in arrays(call.args):
        if is_tensor(array) and array.is_leaf and is_float(array):
            array.grad = array.detach().clone()
    return result


@_way()
def grad_mode_left(call: Call) -> Any:
    """leaves torch's gradients switched off"""
    result = call.result()
    if torch := sys.modules.get("torch"):
        torch.set_grad_enabled(False)
    return result


@_way()
def error_state_left(call: Call) -> Any:
    """leaves NumPy's errors raised"""
    result = call.result()
    np.seterr(all="raise")
    return result


@_way()
def random_state_left(call: Call) -> Any:
    """leaves the global random state changed"""
    result = call.result()
    np.random.seed(12345)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(12345)
    return result
