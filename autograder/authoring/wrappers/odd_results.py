"""Results that no right function has: a hidden test must fail for each of them in words, and not break."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.authoring.wrappers.call import arrays, each_array, is_tensor

_TOO_MANY = 1 << 26

ODD_RESULTS: dict[
    str, tuple[str, Callable[[Any], Any]]
] = {}  # "a function that ...", and what becomes of the right one


def returning(odd: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorator that makes a right function return something odd."""
    return lambda right: lambda *args, **keywords: ODD_RESULTS[odd][1](right(*args, **keywords))


def _add_odd(name: str, what: str, odd: Callable[[Any], Any]) -> None:
    ODD_RESULTS[name] = f"returns {what}", odd


def _first_is(value: Any) -> Callable[[Any], Any]:
    return lambda result: (value, *result[1:]) if isinstance(result, tuple) and result else value


_add_odd("none", "None", lambda result: None)
_add_odd("text", "a text", lambda result: "text")
_add_odd("number", "a whole number", lambda result: 3)
_add_odd("nan", "NaN", lambda result: float("nan"))
_add_odd("nothing", "an empty tuple", lambda result: ())
_add_odd("longer", "one value too many", lambda result: (*result, 0) if isinstance(result, tuple) else (result, result))
_add_odd("objects", "an array of objects", lambda result: np.array([None, "text"], dtype=object))
_add_odd("huge", "a huge array", lambda result: np.zeros(_TOO_MANY))
_add_odd("first_none", "None in the first place", _first_is(None))
_add_odd("first_text", "a text in the first place", _first_is("text"))
_add_odd("first_objects", "an array of objects in the first place", _first_is(np.array([None, "text"], dtype=object)))
_add_odd(
    "whole",
    "arrays of whole numbers",
    lambda result: each_array(result, _whole) if list(arrays(result)) else np.ones(2),
)


def _whole(array: Any) -> Any:
    return array.long() if is_tensor(array) else array.astype(np.int64)
