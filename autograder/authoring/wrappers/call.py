"""A call of a student's function, and its values: what `ways.py` and `probe.py` take apart and copy.

`behaviours.py` pastes the texts of this folder into a notebook, so they import nothing else of the package.
"""

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import numpy as np


class Call:
    """One call of a right function. which: the argument that a way is about; memory: outlives the call."""

    def __init__(self, right: Callable[..., Any], args: list[Any], memory: dict[Any, Any], which: int) -> None:
        self.right = right
        self.args = args
        self.memory = memory
        self.which = which

    def result(self) -> Any:
        """What the right function makes of the arguments as they are now."""
        return self.right(*self.args)

    def overhear(self, which: int, ask: Callable[[Any, tuple[Any, ...]], Any]) -> None:
        """Let an argument that is a function be asked by `ask`."""
        if callable(function := self.args[which]):
            self.args[which] = lambda *args: ask(function, args)

    @property
    def argument(self) -> Any:
        """The one that the way is about."""
        return self.args[self.which] if self.which < len(self.args) else None

    @property
    def first(self) -> Any:
        """The first argument that is an array or a tensor; one without axes where there is none."""
        return next(filter(is_array, self.args), np.zeros(()))


def noting(answers: list[Any]) -> Callable[[Any, tuple[Any, ...]], Any]:
    """For `Call.overhear`: puts down what is answered."""

    def ask(function: Any, args: tuple[Any, ...]) -> Any:
        answers.append(function(*args))
        return answers[-1]

    return ask


def placed(right: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    """All arguments by place, defaults included. Errors: TypeError where the function does not take them."""
    bound = signature(right).bind(*args, **keywords)
    bound.apply_defaults()
    return list(bound.args)


def is_tensor(value: Any) -> bool:
    """Whether it is torch's."""
    return type(value).__module__ == "torch" and hasattr(value, "detach")


def is_array(value: Any) -> bool:
    """Whether it is NumPy's or torch's."""
    return isinstance(value, np.ndarray) or is_tensor(value)


def is_float(value: Any) -> bool:
    """Whether it is an array of floats."""
    return is_array(value) and "float" in str(value.dtype)


def arrays(value: Any) -> Iterator[Any]:
    """The arrays and tensors in a value."""
    if is_array(value):
        yield value
    elif isinstance(value, dict):
        yield from arrays(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from arrays(one)


def each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with `change` of everything in it that is no list, tuple or dict."""
    if isinstance(value, dict):
        return {key: each(one, change) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([each(one, change) for one in value])
    return change(value)


def each_array(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with `change` of the arrays in it."""
    return each(value, lambda one: change(one) if is_array(one) else one)


def copied(value: Any) -> Any:
    """The value with copies of lists, dicts and arrays, each in its own memory layout; a tensor's history is kept."""
    known: dict[int, Any] = {}

    def copy(one: Any) -> Any:
        if id(one) not in known:
            known[id(one)] = _copy_of(one)
        return known[id(one)]

    return each_array(value, copy)


def _copy_of(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        dense = array.copy(order="K")
        has_gaps = not (array.flags.c_contiguous or array.flags.f_contiguous)
        return np.repeat(dense, 2, axis=-1)[..., ::2] if has_gaps else dense
    if not array.is_leaf:
        return array.clone()
    leaf = array.detach().clone().requires_grad_(array.requires_grad)
    leaf.grad = None if array.grad is None else array.grad.clone()
    return leaf


def write_into(value: Any) -> None:
    """Add one to every array of numbers in a value, where it lies, and turn truth values round."""
    for array in arrays(value):
        if is_tensor(array):
            array.data.logical_not_() if "bool" in str(array.dtype) else array.data.add_(1)
        elif isinstance(array, np.ndarray) and array.flags.writeable and array.dtype.kind == "b":
            np.logical_not(array, out=array)
        elif isinstance(array, np.ndarray) and array.flags.writeable and array.dtype.kind in "fiu":
            array += 1
