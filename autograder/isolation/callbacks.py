"""Functions of the grader's that a student's code calls: what crosses for them, and the answers to the calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from operator import index
from typing import Any

import numpy as np

from autograder import wire
from autograder.isolation.replies import Callback
from autograder.scrub import scrub
from autograder.values import Handle, error_type

_SMALLEST = 8  # bytes of an entry of a list

Function = Callable[..., Any]
HandleType = Callable[[int, str], Handle]


class PassedOn(Exception):
    """What a function of ours raises for the student's code to meet: an exception of Python's own, by its name."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True)
class Opaque:
    """A value that stays on the grader's side, as the student's code holds it."""

    number: int


class Sender:
    """Handles go back by number, slices and dtypes by what they are made of; a function becomes a callback."""

    def __init__(self, functions: list[Function]) -> None:
        self._functions = functions

    def __call__(self, value: object) -> list[Any] | None:
        if isinstance(value, Handle):
            return ["handle", value.handle_number]
        if isinstance(value, Opaque):
            return ["opaque", value.number]
        if isinstance(value, slice):
            return ["slice", *map(_bound, (value.start, value.stop, value.step))]
        if value is Ellipsis:
            return ["ellipsis"]
        if dtype := _dtype(value):
            return ["dtype", *dtype]
        return ["callback", self._number(value)] if callable(value) else None

    def _number(self, function: Function) -> int:
        known = (number for number, one in enumerate(self._functions) if one is function)
        if (number := next(known, None)) is None:
            self._functions.append(function)
            return len(self._functions) - 1
        return number


def _bound(value: Any) -> int | None:
    return None if value is None else index(value)


def _dtype(value: object) -> tuple[str, str] | None:
    """Whose it is, and its name; None where it is none."""
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return "numpy", str(np.dtype(value).name)
    library, _, name = str(value).partition(".") if type(value).__module__ == "torch" else ("", "", "")
    return (library, name) if type(value).__name__ == "dtype" else None


def incoming(tag: str, arguments: list[Any], handle: HandleType = Handle) -> Handle | Opaque:
    """What a student's process sends in the place of a value that stays there, or that it was given so.

    handle: makes what stands for a value that stays there, of its number and the name of its type.
    """
    match tag, arguments:
        case "opaque", [int(number)]:
            return Opaque(number)
        case "handle", [int(number), str(type_name)]:
            return handle(number, scrub(type_name[:100]))
    raise wire.WireError("an unknown tag")


def answer(asked: Callback, functions: list[Function]) -> dict[str, Any]:
    """The answer to a student's call of a function of ours; its failure is data for the student's code.

    What a failure of the test's own function says is not told: it may name what stands in the hidden suite.
    """
    if not 0 <= asked.number < len(functions):
        return _failure("RuntimeError", "there is no such function")
    function = functions[asked.number]
    try:
        return {"value": function(*asked.arguments, **asked.keywords)}
    except PassedOn as error:
        return _failure(error.name, str(error))
    except Exception as error:
        if not _takes(function, asked):
            return _failure("TypeError", "the function that was passed in takes other arguments")
        return _failure(error_type(error), f"the function that was passed in raised {error_type(error)}")


def _failure(name: str, message: str) -> dict[str, Any]:
    return {"error": {"name": name, "message": message}}


def _takes(function: Function, asked: Callback) -> bool:
    try:
        signature(function).bind(*asked.arguments, **asked.keywords)
    except ValueError:  # it has none that could be told
        return True
    except TypeError:
        return False
    return True


def size_of(value: Any) -> int:
    """Bytes that a value from a student's process takes here, at least."""
    match value:
        case Handle():
            return _SMALLEST
        case dict():
            return size_of([*value, *value.values()])
        case list() | tuple():
            return _SMALLEST * len(value) + sum(map(size_of, value))
        case str():
            return len(value)
    return int(getattr(value, "nbytes", 0))
