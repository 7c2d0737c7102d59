"""Results that no right function has: a hidden test must fail for each of them in words, and not break."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.authoring.wrappers.call import Call, arrays, each_array, is_tensor
from autograder.authoring.wrappers.way import Way

_TOO_MANY = 1 << 26
_OBJECTS = np.array([None, "text"], dtype=object)


def _longer(call: Call) -> Any:
    result = call.result()
    return (*result, 0) if isinstance(result, tuple) else (result, result)


def _whole(call: Call) -> Any:
    result = call.result()
    if not list(arrays(result)):
        return np.ones(2)
    return each_array(result, lambda array: array.long() if is_tensor(array) else array.astype(np.int64))


def _first_is(value: Any) -> Callable[[Call], Any]:
    def behave(call: Call) -> Any:
        result = call.result()
        return (value, *result[1:]) if isinstance(result, tuple) and result else result

    return behave


_OF_ALL: dict[str, Callable[[Call], Any]] = {
    "None": lambda call: None,
    "a text": lambda call: "text",
    "a whole number": lambda call: 3,
    "NaN": lambda call: float("nan"),
    "an empty tuple": lambda call: (),
    "one value too many": _longer,
    "an array of objects": lambda call: _OBJECTS,
    "a huge array": lambda call: np.zeros(_TOO_MANY),
    "arrays of whole numbers": _whole,
}
_OF_TUPLES = {"None": None, "a text": "text", "an array of objects": _OBJECTS}

ODD_RESULTS = {what: Way(f"returns {what}", behave, ()) for what, behave in _OF_ALL.items()}
ODD_RESULTS |= {
    f"{what} first": Way(f"returns {what} in the first place", _first_is(value), ("as given",))
    for what, value in _OF_TUPLES.items()
}
