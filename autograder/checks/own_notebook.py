"""What a public test calls `student`: the functions of the notebook in which `check(...)` runs, in the same process.

It offers what the `student` of hidden tests does. Part of every `checks.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.checks.compare import Mismatch, require
from autograder.checks.names import UndefinedError, found, names_of, stub_of
from autograder.values import (
    as_base,
    differentiable,
    error_type,
    is_tensor,
    layout_of,
    module_gradients,
    vector_jacobian,
)

_MOST_PARTS = 1000  # of a result that are known again when a test passes them on


@dataclass(frozen=True)
class StudentError:
    """The error that a student's function raised; type: the nearest of Python's own types that it is."""

    type: str
    message: str


class OwnNotebook:
    """The student's functions, found by name in the notebook at the time of the call.

    Arguments are copied for each call, so that a function that writes into them cannot change
    what the test compares with. What `put` returns is the exception, and what came from the
    notebook itself: it goes back as the very object that it is there.
    """

    def __init__(self) -> None:
        self._own: list[tuple[object, object]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return found(name) if name in names_of("variables") else _Defined(self, name)

    def _call(self, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        result = found(name)(
            *(_copied(argument, self._own) for argument in arguments),
            **{key: _copied(option, self._own) for key, option in options.items()},
        )
        self._own += [(part, part) for part in _parts(result)]
        seen = as_base(result)
        self._own.append((seen, result))
        return seen

    def put(self, value: Any) -> Any:
        """Return a copy of `value` that is passed on as it is, to see whether it gets modified."""
        kept = _copied(value)
        self._own.append((kept, kept))
        return kept

    def get(self, handle: Any) -> Any:
        """Return what `put` gave, with all that has happened to it."""
        return handle

    def error(self, call: str | Callable[..., Any], *arguments: Any, **options: Any) -> StudentError:
        """Return the error that a call, by a function's name or of itself, raises; Mismatch if it raises none."""
        name = call if isinstance(call, str) else getattr(call, "__name__", "this")
        try:
            (getattr(self, call) if isinstance(call, str) else call)(*arguments, **options)
        except (UndefinedError, Mismatch):
            raise
        except Exception as error:
            if stub_of(error):
                raise
            return StudentError(error_type(error), str(error))
        require(False, f"`{name}` should refuse this call with an error, yours returns a value")
        return StudentError("", "")

    def gradients(
        self, call: str | Callable[..., Any], *arguments: Any, upstream: Any = None
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return what a torch function returns, and a gradient or None for each argument.

        call: the name of a function, or an object that can be called. upstream: the tensor to
        multiply the Jacobian by, all ones if None.
        """
        torch: Any = sys.modules["torch"]
        leaves = [differentiable(_copied(argument)) for argument in arguments]
        with torch.enable_grad():
            out = (found(call) if isinstance(call, str) else call)(*leaves)
        return out, tuple(vector_jacobian(out, leaves, upstream))

    def module_gradients(
        self, module: Any, *inputs: Any, upstream: Any = None
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return as `gradients` for a PyTorch module, and the gradients at its parameters by name."""
        torch: Any = sys.modules["torch"]
        with torch.enable_grad():
            out, gradients, parameters = module_gradients(module, inputs, upstream)
        return out, tuple(gradients), parameters

    layout = staticmethod(layout_of)


class _Defined:
    """A function or class of the notebook, by its name."""

    def __init__(self, notebook: OwnNotebook, name: str) -> None:
        self.__name__ = name
        self._notebook = notebook

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._notebook._call(self.__name__, arguments, options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(found(self.__name__), name)


def _copied(value: Any, own: Sequence[tuple[object, object]] = ()) -> Any:
    """Return a copy of arrays, tensors and what holds them; all else stays itself.

    own: pairs of a value as a test has it, and the notebook's own object, which is passed on.
    """
    for seen, itself in own:
        if value is seen:
            return itself
    if type(value) in (list, tuple):
        return type(value)(_copied(item, own) for item in value)
    if type(value) is dict:
        return {key: _copied(item, own) for key, item in value.items()}
    if is_tensor(value):
        return value.detach().clone()
    return value.copy() if type(value) is np.ndarray else value


def _parts(value: Any) -> list[object]:
    """Return what lies in lists, tuples and dicts and may be written into, those themselves too."""
    parts: list[object] = []
    left = [value]
    while left and len(parts) < _MOST_PARTS:
        one = left.pop()
        items = list(one.values()) if type(one) is dict else list(one) if type(one) in (list, tuple) else []
        if items or is_tensor(one) or type(one) is np.ndarray:
            parts.append(one)
        left += items
    return parts
