"""Results that no right function has: a hidden test must fail for each of them in words, and not break."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograder.authoring.wrappers.call import Call, arrays, each_array, is_tensor
from autograder.authoring.wrappers.way import Way

_TOO_MANY = 1 << 26
_OBJECTS = np.array([None, "text"], dtype=object)


def _whole(result: Any) -> Any:
    if not list(arrays(result)):
        return np.ones(2)
    return each_array(result, lambda array: array.long() if is_tensor(array) else array.astype(np.int64))


def _first_is(value: Any) -> Callable[[Any], Any]:
    return lambda result: (value, *result[1:]) if isinstance(result, tuple) and result else result


def _returned(odd: Callable[[Any], Any], call: Call) -> Any:
    return odd(call.result())


_OF_ALL: dict[str, Callable[[Any], Any]] = {
    "None": lambda result: None,
    "a text": lambda result: "text",
    "a whole number": lambda result: 3,
    "NaN": lambda result: float("nan"),
    "an empty tuple": lambda result: (),
    "one value too many": lambda result: (*result, 0) if isinstance(result, tuple) else (result, result),
    "an array of objects": lambda result: _OBJECTS,
    "a huge array": lambda result: np.zeros(_TOO_MANY),
    "arrays of whole numbers": _whole,
}
_OF_TUPLES = {"None": None, "a text": "text", "an array of objects": _OBJECTS}

ODD_RESULTS = {what: Way(f"returns {what}", partial(_returned, odd), ()) for what, odd in _OF_ALL.items()}
ODD_RESULTS |= {
    f"{what} first": Way(f"returns {what} in the first place", partial(_returned, _first_is(value)), ("as given",))
    for what, value in _OF_TUPLES.items()
}
