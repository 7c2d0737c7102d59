"""The residual block: the checks that your notebook runs with `check("...")`.

They look for the common mistakes; the course grades with other inputs. You may read them, nothing here is secret.
Before you hand in: `python checks.py` runs your notebook from top to bottom, as the grader does.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable
from collections.abc import Callable, Iterator
from collections.abc import Callable, Sequence
from collections.abc import Collection
from collections.abc import Iterable, Iterator
from collections.abc import Iterator
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Iterator, Sequence
from collections.abc import Mapping, Sequence
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256, shake_256
from html import escape
from itertools import permutations
from itertools import product
from math import floor
from numpy.typing import NDArray
from pathlib import Path
from traceback import format_exception_only
from traceback import format_exception_only, walk_tb
from traceback import walk_tb
from types import FrameType
from types import FrameType, ModuleType
from typing import Any
from typing import Any, Literal
from typing import TypeVar
import builtins
import importlib
import json
import linecache
import math
import numpy as np
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import torch

TASKS = {'residual_block': {'title': 'The block: branch and skip',
                    'functions': ['residual_block'],
                    'points': 10.0,
                    'hint': 'Compute h, then the branch, then add x as it came in. One line each; the @ '
                            'operator takes care of any batch axes in front.',
                    'beyond': 'random inputs and upstream gradients, all units awake or asleep, axes of '
                              "length one, large and small numbers, torch's modes left alone"},
 'identity_gradient': {'title': 'A silent branch is the identity',
                       'functions': ['residual_block'],
                       'points': 6.0,
                       'hint': 'Set w2 and b2 to zero and print out - x and x.grad. Nothing may touch x on '
                               'its way along the skip path, neither forward nor backward.',
                       'beyond': 'random upstream gradients, and extreme weights in the first layer'},
 'jacobian': {'title': 'The Jacobian in two pieces',
              'functions': ['residual_jacobian'],
              'points': 10.0,
              'hint': 'Differentiate the branch alone, without the skip. Row j of a Jacobian belongs to '
                      'output j, column i to input i.',
              'beyond': 'other widths, float32, a single entry or unit, large and small numbers, all inputs '
                        'left alone'},
 'stack_gradient': {'title': 'The gradient under N blocks',
                    'functions': ['stack_input_gradient'],
                    'points': 8.0,
                    'hint': 'Make a fresh copy of x that requires grad, run the blocks in order, sum the '
                            'output, and ask autograd for the gradient at that copy.',
                    'beyond': 'other depths and batches, float32, blocks used more than once, large and '
                              'small numbers, all inputs left alone'}}
SETUP = ('import matplotlib.pyplot as plt', ['plt', 'torch', 'laid_out', 'overwrite', 'traces_on', 'modes_after'])
MODULES = {}
GRADER = {'notebook': 'residual-block.ipynb',
 'cells': ['setup', 'residual_block-code', 'residual_block', 'identity_gradient', 'jacobian-code', 'jacobian',
           'stack_gradient-code', 'stack_gradient', 'explain_jacobian'],
 'files': [],
 'packages': ['numpy', 'matplotlib', 'torch'],
 'cpu_seconds': 10,
 'wall_seconds': 60,
 'total_cpu_seconds': 180,
 'total_wall_seconds': 600,
 'memory': 2048,
 'disk': 64,
 'output': 1,
 'total_output': 8,
 'restarts': 12}


ARRAY_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)
TENSOR_DTYPES = (ARRAY_DTYPES - {"uint16", "uint32", "uint64"}) | {"bfloat16"}

_NUMBER_TYPES: tuple[type[Any], ...] = (bool, int, float, complex, *np.sctypeDict.values())
# By identity: a student's metaclass may answer for `==` and `hash`.
_NUMBER_DTYPES = {id(kind): np.dtype(kind).name for kind in _NUMBER_TYPES if np.dtype(kind).name in ARRAY_DTYPES}
_PLAIN_TYPES = frozenset([*_NUMBER_DTYPES, *map(id, (str, tuple, list, dict))])
_FROM_SUBCLASS: tuple[tuple[type[Any], Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, complex.__pos__),  # Python 3.10 has no `complex.__complex__`
    (str, str.__str__),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (list, lambda value: list(list.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
)
_BASES = tuple(base for base, _ in _FROM_SUBCLASS)


@dataclass(frozen=True)
class Handle:
    """In grading, a value that stays in the student's process; it can be passed back as an argument.

    Named so that an attribute of the object that it stands for will not have the same name.
    """

    handle_number: int
    handle_type: str


@dataclass(frozen=True)
class Form:
    """What can be told about a value without touching its entries.

    is_plain: whether the dtype is plain and, of a tensor, whether it is dense and in memory.
    """

    kind: Literal["number", "array", "tensor"]
    shape: tuple[int, ...]
    dtype: str
    is_plain: bool


def as_base(value: Any) -> Any:
    """Return `value` as the Python type has it that its own type is a subclass of; all else as it is.

    No code of the value is run. What is in a container is not looked at.
    """
    kind = type(value)
    if id(kind) in _PLAIN_TYPES or not issubclass(kind, _BASES):
        return value
    return next(taken(value) for base, taken in _FROM_SUBCLASS if issubclass(kind, base))


def form_of(value: Any) -> Form | None:
    """Return the form of a number, array or tensor, None for all else. No code of the value is run."""
    if dtype := _NUMBER_DTYPES.get(id(type(value))):
        return Form("number", (), dtype, True)
    if type(value) is np.ndarray:
        name = _name(value.dtype)
        is_plain = name in ARRAY_DTYPES
        return Form("number" if is_plain and not value.ndim else "array", value.shape, name, is_plain)
    if is_tensor(value):
        return _tensor_form(value)
    base = as_base(value)
    return None if base is value else form_of(base)


def entries_of(value: Any) -> NDArray[Any] | None:
    """Return the entries in the value's shape and dtype, those of bfloat16 as float32; None where they are not plain.

    What is returned may share the value's memory. An int beyond 64 bits has no entries.
    """
    value = as_base(value)
    form = form_of(value)
    if form is None or not form.is_plain:
        return None
    try:
        return _tensor_entries(value) if form.kind == "tensor" else np.asarray(value, form.dtype)
    except (RuntimeError, TypeError, OverflowError):  # a tensor that has escaped from `vmap`, a large int
        return None


def is_tensor(value: object) -> bool:
    """Whether `value` is exactly a tensor or a Parameter, which is a tensor that a module owns."""
    torch = sys.modules.get("torch")
    return torch is not None and (type(value) is torch.Tensor or type(value) is torch.nn.Parameter)


def type_name(value: object) -> str:
    """Return the name of a value's type; for a handle, of the type of what it stands for."""
    if issubclass(type(value), Handle):
        return str(value.handle_type)  # type: ignore[attr-defined]
    # The name as Python itself keeps it: a metaclass could run code instead.
    return str(type.__dict__["__name__"].__get__(type(value)))


def plain_text(text: str) -> str:
    """Return `text` with "?" for a lone surrogate, which is legal in Python and in no file."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=64)
def _name(dtype: np.dtype[Any]) -> str:
    """Return its name, which NumPy makes anew each time."""
    return str(dtype.name)


def _tensor_form(tensor: Any) -> Form | None:
    if tensor.is_nested:  # it has no shape
        return None
    dtype = str(tensor.dtype).removeprefix("torch.")
    is_dense = str(tensor.layout) == "torch.strided" and tensor.device.type != "meta"
    return Form("tensor", tuple(tensor.shape), dtype, is_dense and dtype in TENSOR_DTYPES)


def _tensor_entries(tensor: Any) -> NDArray[Any]:
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    return np.asarray((plain.float() if str(plain.dtype) == "torch.bfloat16" else plain).numpy())


def error_type(error: BaseException) -> str:
    """Return the name of what an exception is a kind of: of the nearest type that is Python's own."""
    own = (kind for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)
    return str(next(own).__name__)


# --- gradients ---


def differentiable(argument: Any) -> Any:
    """Return a copy that requires a gradient of a tensor of real numbers, all else as it is."""
    if is_tensor(argument) and argument.is_floating_point():
        return argument.detach().clone().requires_grad_()
    return argument


def vector_jacobian(result: Any, leaves: Sequence[Any], upstream: Any = None) -> list[Any]:
    """Return the gradient at each leaf for `upstream`, the gradient at the result; all ones if None.

    None in its place where the result does not depend on a leaf or is no tensor of upstream's shape.
    """
    inputs = [leaf for leaf in leaves if is_tensor(leaf) and leaf.requires_grad]
    if not (inputs and is_tensor(result) and result.requires_grad):
        return [None] * len(leaves)
    torch: Any = sys.modules["torch"]
    weights = torch.ones_like(result) if upstream is None else upstream
    if weights.shape != result.shape:
        return [None] * len(leaves)
    found = torch.autograd.grad(result, inputs, weights, allow_unused=True)
    by_leaf = {id(leaf): gradient for leaf, gradient in zip(inputs, found, strict=True)}
    return [by_leaf.get(id(leaf)) for leaf in leaves]


def module_gradients(module: Any, inputs: Sequence[Any], upstream: Any = None) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return what a PyTorch module makes of copies of `inputs`, and the gradients that `vector_jacobian` finds.

    They are a list with one for each input, and a dict with one for each parameter, by its name.
    """
    leaves = [differentiable(value) for value in inputs]
    parameters = dict(module.named_parameters())
    result = module(*leaves)
    found = vector_jacobian(result, [*leaves, *parameters.values()], upstream)
    return result, found[: len(leaves)], dict(zip(parameters, found[len(leaves) :], strict=True))


def layout_of(module: Any) -> dict[str, tuple[int, ...] | None]:
    """Return the shapes of a PyTorch module's parameters and buffers, by name; None of what is no tensor."""
    state = module.state_dict()
    return {name: tuple(value.shape) if is_tensor(value) else None for name, value in state.items()}


@dataclass(frozen=True)
class Tolerance:
    """How far an entry may be off: `relative * |entry| + floor * max|expected| + smallest`.

    relative: for the entry itself.
    floor: for entries that are small by cancellation. Their rounding error has the size of the
        terms that cancelled, for which the largest entry stands. It scales with the data, so a
        gradient that has shrunk to 1e-20 is still compared with itself and not with zero.
    zero: takes the floor's place where every expected entry is zero and there is no scale at all.
    smallest: the smallest normal number. Below it processors may round to zero or not.
    """

    relative: float
    floor: float
    zero: float
    smallest: float

    def widened(self, relative: float) -> Tolerance:
        """The same policy for a wider bar; a narrower one than the policy's is not taken."""
        factor = max(1.0, relative / self.relative)
        return Tolerance(self.relative * factor, self.floor * factor, self.zero * factor, self.smallest)


# Measured on two matrix products and a skip, the order of the sums changed at random: entries move
# by up to 1e-15 (float64) and 6e-7 (float32) of the largest one. The bars stand well above that, so
# no other BLAS, thread count or way of writing a formula is ever an error, and far below any error
# that a wrong formula makes. float16 and bfloat16 hold three digits and two: their bars are four to
# five units of their last bit. Integers and truth values are compared exactly.
_HALF = Tolerance(relative=5e-3, floor=2e-3, zero=1e-3, smallest=6.2e-5)
_BRAIN = Tolerance(relative=3e-2, floor=2e-2, zero=1e-2, smallest=1.2e-38)
_SINGLE = Tolerance(relative=1e-5, floor=5e-6, zero=1e-6, smallest=1.2e-38)
_DOUBLE = Tolerance(relative=1e-9, floor=1e-12, zero=1e-14, smallest=2.3e-308)
_POLICY = {
    "float16": _HALF,
    "bfloat16": _BRAIN,
    "float32": _SINGLE,
    "complex64": _SINGLE,
    "float64": _DOUBLE,
    "complex128": _DOUBLE,
}


def tolerance_for(dtype: str, rtol: float | None = None) -> Tolerance | None:
    """Return the policy for expected values of a dtype, None where the comparison is exact."""
    policy = _POLICY.get(dtype)
    return policy if policy is None or rtol is None else policy.widened(rtol)


def errors_of(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None) -> NDArray[Any]:
    """Return the error of every entry as a multiple of the allowed one: infinite for NaN."""
    if tolerance is None:
        return np.where(got == want, 0.0, np.inf)
    with np.errstate(all="ignore"):
        sizes = np.abs(wide(want))
        largest = np.max(sizes, where=np.isfinite(sizes), initial=0.0)
        floor = tolerance.floor * largest if largest else tolerance.zero
        allowed = tolerance.relative * sizes + floor + tolerance.smallest
        ratios = gaps_of(got, want) / allowed
    return np.where(np.isnan(ratios), np.inf, ratios)


def worst_error(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None) -> float:
    """Return the largest error as a multiple of the allowed one."""
    return float(np.max(errors_of(got, want, tolerance), initial=0.0))


def gaps_of(got: NDArray[Any], want: NDArray[Any]) -> NDArray[Any]:
    """Return |got - want| of every entry; zero for two equal infinities."""
    with np.errstate(all="ignore"):
        return np.where(got == want, 0.0, np.abs(wide(got) - wide(want)))


def wide(entries: NDArray[Any]) -> NDArray[Any]:
    """Return the entries in double precision, so that no difference is rounded or wraps round."""
    return entries.astype(np.complex128 if entries.dtype.kind == "c" else np.float64)


_ENOUGH = 4  # different entries, so that a pattern is no chance
_ENOUGH_IN_ANY_ORDER = 6  # as there are so many orders
_ENOUGH_SIMPLE = 8  # where they are small multiples of one number, as numbers worked out by hand are
_LARGEST_MULTIPLE = 12
_NEGLIGIBLE = 1e-3  # of the largest entry: what is smaller tells nothing
_WIDEST = 1e-2  # a relative tolerance beyond which much fits by chance
_MOST_AXES = 4  # whose orders are tried
_MOST_ENTRIES = 1_000_000
_ORDINALS = ("first", "second", "third", "fourth")


def pattern(
    got: NDArray[Any],
    want: NDArray[Any],
    tolerance: Tolerance | None,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    axes: Sequence[str] = (),
) -> str:
    """Return what the entries of `got` have to do with those of `want`, of the same shape; empty where it is not plain.

    inputs: arrays that may be there once too often or too rarely, by name. axes: a name for each axis.
    """
    if tolerance is None or tolerance.relative > _WIDEST or want.dtype.kind != "f" or want.size > _MOST_ENTRIES:
        return ""
    if not _is_telling(want, _ENOUGH):
        return ""
    pair = _Pair(wide(got), wide(want), tolerance, axes)
    if not np.isfinite([pair.got, pair.want]).all():
        return ""
    with np.errstate(all="ignore"):
        told = [found for found in (pair.by_an_input(inputs or {}), pair.in_another_order(), *pair.by_size()) if found]
        return told[0] if len(told) == 1 else "" if told else pair.along_an_axis()


def axis_name(axis: int, ndim: int, axes: Sequence[str] = ()) -> str:
    """Return an axis in words: by its letter, else as "the first axis", or "axis 4"."""
    if axes:
        return f"the axis {axes[axis]}"
    if axis == ndim - 1 and ndim > 2:
        return "the last axis"
    return f"the {_ORDINALS[axis]} axis" if axis < len(_ORDINALS) else f"axis {axis}"


class _Pair:
    """A wrong array beside the right one, in double precision."""

    def __init__(self, got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance, axes: Sequence[str]) -> None:
        self.got, self.want, self._tolerance, self._axes = got, want, tolerance, axes

    def _fits(self, right: NDArray[Any], got: NDArray[Any] | None = None) -> bool:
        return worst_error(self.got if got is None else got, right, self._tolerance) <= 1

    # --- an input too much or too few ---

    def by_an_input(self, inputs: Mapping[str, NDArray[Any]]) -> str:
        known = {name: wide(one) for name, one in inputs.items() if one.shape == self.want.shape}
        known = {name: one for name, one in known.items() if _is_telling(one, _ENOUGH)}
        for name, one in known.items():
            if self._fits(one):
                return f"yours is {name} itself"
        gap = [name for name, one in known.items() if self._fits(self.want - one) or self._fits(self.want + one)]
        return f"the difference is {gap[0]} itself, entry by entry" if len(gap) == 1 else ""

    # --- the right entries in other places ---

    def in_another_order(self) -> str:
        ndim = self.want.ndim
        for order in permutations(range(ndim)) if 1 < ndim <= _MOST_AXES else ():
            turned = self.got.transpose(order)
            if turned.shape == self.want.shape and order != tuple(range(ndim)) and self._fits(self.want, turned):
                return self._exchanged(order)
        for axis in range(ndim):
            if self._fits(self.want, np.flip(self.got, axis)):
                return f"turned round along {self._name(axis)}, it would agree"
        right, mine = np.sort(self.want, axis=None), np.sort(self.got, axis=None)
        if _is_telling(self.want, _ENOUGH_IN_ANY_ORDER) and self._fits(right, mine):
            return "the right entries are all there, in other places"
        return ""

    def _exchanged(self, order: tuple[int, ...]) -> str:
        moved = [axis for axis, place in enumerate(order) if axis != place]
        if self.want.ndim == 2:
            return "transposed, it would agree"
        if len(moved) == 2:
            return f"with {self._name(moved[0])} and {self._name(moved[1])} exchanged, it would agree"
        return "with its axes in another order, it would agree"

    # --- one thing wrong with every entry ---

    def by_size(self) -> Iterator[str]:
        if self._fits(abs(self.want), abs(self.got)):
            yield "all sizes are right, but not all signs"
            return
        if not (_is_telling(self.want, _ENOUGH_SIMPLE) or not _is_simple(self.want)):
            return
        place = np.unravel_index(int(np.argmax(abs(self.want))), self.want.shape)
        factor, shift = self.got[place] / self.want[place], self.got[place] - self.want[place]
        if factor and self._fits(self.want * factor):
            yield "every entry is off by the same factor"
        if abs(shift) > _NEGLIGIBLE * abs(self.want[place]) and self._fits(self.want + shift):
            yield "every entry is off by the same amount"

    # --- the same all along an axis ---

    def along_an_axis(self) -> str:
        for axis, length in enumerate(self.want.shape if self.want.ndim > 1 else ()):
            is_telling = length > 2 and (length - 1) * (self.want.size // length) >= _ENOUGH
            if is_telling and _varies(self.want, axis) and (found := self._along(axis)):
                return f"{found} all along {self._name(axis)}"
        return ""

    def _along(self, axis: int) -> str:
        got, want = self.got, self.want
        if not _varies(got, axis) and _varies(got.reshape(1, -1), 1):
            return "yours is the same"
        shift = (got - want).mean(axis=axis, keepdims=True)
        if self._fits(want + shift):
            return "the difference is the same"
        squares = (want * want).sum(axis=axis, keepdims=True)
        if not squares.all():
            return ""
        factors = (got * want).sum(axis=axis, keepdims=True) / squares
        if factors.all() and (abs(factors - 1) > self._tolerance.relative).all() and self._fits(want * factors):
            return "the factor between yours and the right entries is the same"
        return ""

    def _name(self, axis: int) -> str:
        return axis_name(axis, self.want.ndim, self._axes)


def _is_telling(entries: NDArray[Any], enough: int) -> bool:
    return len(_sizes(entries)) >= enough


def _sizes(entries: NDArray[Any]) -> NDArray[Any]:
    """Return the different sizes of the entries, as shares of the largest one; negligible ones left out."""
    sizes = np.abs(wide(entries))
    largest = sizes.max(initial=0.0)
    if not (largest and np.isfinite(largest)):
        return np.zeros(0)
    shares = np.unique(np.round(sizes / largest, 3))
    return shares[shares > _NEGLIGIBLE]


def _is_simple(entries: NDArray[Any]) -> bool:
    """Whether the entries are small multiples of one number: then a factor or an amount may fit by chance."""
    multiples = np.outer(np.arange(1, _LARGEST_MULTIPLE + 1), _sizes(entries))
    return bool((abs(multiples - multiples.round()) < 0.01).all(axis=1).any())


def _varies(entries: NDArray[Any], axis: int) -> bool:
    return bool((abs(entries - entries.take([0], axis)) > _NEGLIGIBLE * abs(entries).max(initial=0.0)).any())


_SMALL = 1e-3  # a difference that looks like rounding
_FAR_MORE = 1e3  # times what rounding explains
_MOST_DIGITS_LOST = 1e-5  # relative error, beyond which nobody speaks of digits
_ENOUGH_DIGITS = 4  # entries that agree in their first digits


def describe(value: object) -> str:
    """Name the type of a value in words, without running any code of its own."""
    form = form_of(value)
    if value is None:
        return "None"
    if form is None:
        return f"an object of type {type_name(as_base(value))[:40]}"
    if form.kind == "number":
        return f"a number ({form.dtype})"
    noun = "a NumPy array" if form.kind == "array" else "a PyTorch tensor"
    return f"{noun} of shape {form.shape}"


def shape_difference(got: tuple[int, ...], want: tuple[int, ...], axes: Sequence[str] = ()) -> str:
    """Say which shape is asked for and which is there, and which axis makes the difference if one does."""
    asked = f"({', '.join(axes)}) = {want}" if axes else f"{want}"
    return f"its shape should be {asked}, yours is {got}{_remark_on_shape(got, want, axes)}"


def _remark_on_shape(got: tuple[int, ...], want: tuple[int, ...], axes: Sequence[str]) -> str:
    names = [axis_name(axis, len(want), axes) for axis in range(len(want))]
    if len(got) == len(want):
        other = [axis for axis in range(len(want)) if got[axis] != want[axis]]
        if len(got) > 1 and got == want[::-1]:
            return ", its transpose"
        if len(other) == 1 and len(want) > 1:
            return f": {names[other[0]]} has {got[other[0]]} in the place of {want[other[0]]}"
        return ": the axes stand in another order" if sorted(got) == sorted(want) else ""
    removed = [axis for axis in range(len(want)) if (*want[:axis], *want[axis + 1 :]) == got]
    if len(removed) == 1:
        return f": {names[removed[0]]} is missing"
    if len(removed) > 1:
        return ": an axis is missing"
    if len(got) == len(want) + 1 and any((*got[:axis], *got[axis + 1 :]) == want for axis in range(len(got))):
        return ": there is an axis too many"
    return ""


def value_difference(
    got: NDArray[Any],
    want: NDArray[Any],
    tolerance: Tolerance | None,
    rounding: Tolerance | None = None,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    axes: Sequence[str] = (),
) -> str:
    """Say how many entries differ, where, by how much, and the pattern in it; all entries of `got` are finite.

    rounding: what would be allowed were the comparison not exact.
    """
    errors = errors_of(got, want, tolerance)
    gaps = np.where(errors > 1, gaps_of(got, want), 0.0)
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(gaps)), gaps.shape))
    text = count(errors > 1, "differs", "differ") + first(got, errors > 1, axes)
    if np.count_nonzero(errors > 1) > 1:
        text += f", the largest at {_index(place, axes)}"
    if want.dtype.kind != "b" and np.isfinite(gaps[place]):
        text += f", off by {about(float(gaps[place]))}"
    remark = _remark(got, want, tolerance or rounding, tolerance is None, inputs, axes)
    if not remark and tolerance and gaps[place] < _SMALL and errors[place] > _FAR_MORE:
        remark = "small as that is, rounding alone makes far smaller differences here"
    return f"{text}; {remark}" if remark else text


def _remark(
    got: NDArray[Any],
    want: NDArray[Any],
    tolerance: Tolerance | None,
    is_exact: bool,
    inputs: Mapping[str, NDArray[Any]] | None,
    axes: Sequence[str],
) -> str:
    if want.dtype.kind not in "fc":
        return ""
    if not got.any():
        return "yours is zero everywhere" if want.ndim else ""
    if is_exact and worst_error(got, want, tolerance) <= 1:
        return "it agrees up to rounding, but here it must be exact"
    found = pattern(got, want, tolerance, inputs, axes)
    return found or _digits(got, want, tolerance) or _place(got, want, tolerance, axes)


def _digits(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None) -> str:
    """Say how many digits agree, where each entry agrees in several and the policy asks for more."""
    sizes = np.abs(wide(want))
    if want.dtype != np.float64 or tolerance != tolerance_for("float64") or np.count_nonzero(sizes) < _ENOUGH_DIGITS:
        return ""
    gaps, sure = gaps_of(got, want), sizes > 0
    with np.errstate(all="ignore"):
        worst = float((gaps[sure] / sizes[sure]).max())
        if gaps[~sure].any() or not 0 < worst <= _MOST_DIGITS_LOST:
            return ""
        is_single = np.array_equal(got.astype(np.float32), got) and not np.array_equal(want.astype(np.float32), want)
    if is_single:
        return "all entries of yours are float32 numbers: a step keeps no more digits than those have"
    return f"its first {int(-np.log10(worst))} digits agree: a small term is off, or a step loses digits"


def _place(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None, axes: Sequence[str]) -> str:
    """Say in which part of an array all differences are, where it is one place along an axis."""
    places = np.argwhere(errors_of(got, want, tolerance) > 1)
    for axis in range(want.ndim if want.ndim > 1 and len(places) > 2 else 0):
        if want.shape[axis] > 2 and (places[:, axis] == places[0, axis]).all():
            return f"all of them have the index {places[0, axis]} along {axis_name(axis, want.ndim, axes)}"
    return ""


def text_difference(actual: str, expected: str) -> str:
    """Say in which line and column two texts first differ, both counted from one."""
    same = next(
        (i for i, (a, b) in enumerate(zip(actual, expected, strict=False)) if a != b),
        min(len(actual), len(expected)),
    )
    line = expected.count("\n", 0, same) + 1
    column = same - expected.rfind("\n", 0, same)
    if same == len(actual):
        found = "yours ends too early"
    elif same == len(expected):
        found = "yours goes on where it should end"
    else:
        found = f"yours has {actual[same]!r}"
    return f"the first difference is in line {line}, column {column} ({found})"


# --- pieces of sentences ---


def count(wrong: NDArray[Any], singular: str, plural: str) -> str:
    """Open a sentence on the wrong entries: "7 of 24 entries differ", for a number "it differs"."""
    number = int(np.count_nonzero(wrong))
    if wrong.ndim == 0:
        return f"it {singular}"
    return f"{number} of {wrong.size} entries {singular if number == 1 else plural}"


def first(got: NDArray[Any], wrong: NDArray[Any], axes: Sequence[str] = ()) -> str:
    """Say where the first wrong entry is, and what it is."""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"; the first at {_index(place, axes)}" if wrong.ndim else ""
    return f"{where} (yours is {as_printed(got[place])})"


def as_printed(entry: Any) -> str:
    """Return a student's entry as it is printed."""
    value = entry.item()
    return str(value) if isinstance(value, bool | int) else f"{value:.6g}"


def about(gap: float) -> str:
    """Return a difference to one significant digit, which is a size and not an answer."""
    return f"about {float(f'{gap:.0e}'):g}"


def _index(place: tuple[int, ...], axes: Sequence[str]) -> str:
    return f"[{', '.join(f'{axis}={i}' for axis, i in zip(axes, place, strict=True))}]" if axes else str(list(place))


Kind = Literal["type", "shape", "dtype", "said", "changed", "value"]

_EXPECTED_KIND = {
    "number": "a single number",
    "array": "a NumPy array",
    "tensor": "a PyTorch tensor",
}


class Mismatch(AssertionError):
    """A student's value is not what was asked for; the message is safe to show to the student.

    kind: what of it is not as it should be; "said" where a test says it in words of its own. value: the student's,
    where there is one.
    """

    def __init__(self, message: str, kind: Kind = "said") -> None:
        super().__init__(message)
        self.kind = kind
        self.value: object = None


_NOTED: list[Mismatch] | None = None  # those of a test that is to go on after each


@contextmanager
def noted() -> Iterator[list[Mismatch]]:
    """Inside, what differs is put into a list, and the test goes on where it can."""
    global _NOTED
    _NOTED = []
    try:
        yield _NOTED
    finally:
        _NOTED = None


@contextmanager
def _about(value: object) -> Iterator[None]:
    """What is raised inside is about this value of the student's."""
    try:
        yield
    except Mismatch as mismatch:
        mismatch.value = value
        if _NOTED is None:
            raise
        _NOTED.append(mismatch)


def assert_close(
    actual: object,
    expected: object,
    what: str = "the result",
    *,
    rtol: float | None = None,
    axes: str = "",
    inputs: Mapping[str, object] | None = None,
) -> None:
    """Raise Mismatch unless `actual` is `expected` within the tolerance of its dtype.

    rtol: a wider bar, for checks against finite differences; the floors widen with it.
    axes: a letter for each axis of `expected`, as "BTC": messages name axes by them.
    inputs: by name, what the result may have been made of with one of them forgotten: messages say so.
    """
    with _about(actual):
        _compare(actual, expected, what, _tolerance(expected, rtol), axes, inputs)


def assert_exact(
    actual: object,
    expected: object,
    what: str = "the result",
    *,
    axes: str = "",
    inputs: Mapping[str, object] | None = None,
) -> None:
    """Raise Mismatch unless every bit of `actual` is that of `expected`, the sign of zero excepted.

    That sign tells only in which order zeros were multiplied and added, which no task asks for.
    NaN equals nothing. axes, inputs: as for `assert_close`.
    """
    with _about(actual):
        _compare(actual, expected, what, None, axes, inputs)


def assert_unchanged(after: object, before: object, what: str) -> None:
    """Raise Mismatch unless an argument, named `what`, is after a call what it was before: `student.get` gives it."""
    with _about(after):
        try:
            got, want = _matched(after, before, what)
        except Mismatch as mismatch:
            raise Mismatch(f"{what} is not the same after the call: {mismatch}", "changed") from None
        if (wrong := errors_of(got, want, None) > 1).any():
            entries = f" ({count(wrong, 'has', 'have')} changed)" if want.ndim else ""
            raise Mismatch(f"{what} is not the same after the call: your code writes into it{entries}", "changed")


def distance(actual: object, expected: object, *, rtol: float | None = None) -> float:
    """Return the largest error as a multiple of what `assert_close` allows: it passes up to 1.0.

    Infinite where kind, shape or dtype differ, and where an exact comparison fails.
    """
    try:
        got, want = _matched(actual, expected, "")
    except Mismatch:
        return float("inf")
    return worst_error(got, want, _tolerance(expected, rtol))


def assert_printed(actual: object, printed: str, what: str = "the result") -> None:
    """Raise Mismatch unless `actual` is within half a unit of the last digit of `printed`."""
    with _about(actual):
        got, _ = _matched(actual, float(printed), what)
        _require_finite(got, np.asarray(0.0), what)
        error = abs(Decimal(float(got)) - Decimal(printed))
        last_digit = Decimal(printed).as_tuple().exponent
        if error > Decimal(5).scaleb(int(last_digit) - 1):
            raise Mismatch(
                f"{what}: yours is {as_printed(got)}, off by {about(float(error))}; "
                "it must agree with every digit of the printed value",
                "value",
            )


def assert_text(actual: object, expected: str, what: str = "the text") -> None:
    """Raise Mismatch unless `actual` is `expected`, character for character."""
    actual = as_base(actual)
    if type(actual) is not str:
        raise Mismatch(f"{what}: it should be a string, yours is {describe(actual)}", "type")
    if (text := plain_text(actual)) != expected:
        with _about(text):
            raise Mismatch(f"{what}: {text_difference(text, expected)}", "value")


def expect_tuple(value: object, *names: str) -> tuple[Any, ...]:
    """Return `value` as a tuple; Mismatch unless it is a tuple or list of one value per name."""
    wanted = f"it should return {len(names)} values ({', '.join(names)})"
    value = as_base(value)
    if not (type(value) is tuple or type(value) is list):
        raise Mismatch(f"{wanted}, yours returns {_told(value)}", "type")
    if len(value) != len(names):
        raise Mismatch(f"{wanted}, yours returns {len(value)}", "type")
    return tuple(value)


def expect_bool(value: object, what: str = "the answer") -> bool:
    """Return `value` as a Python bool; Mismatch unless it is a Python or NumPy bool."""
    if not (type(value) is bool or type(value) is np.bool_):
        raise Mismatch(f"{what}: it should be True or False, yours is {describe(value)}", "type")
    return bool(value)


def expect_object(value: object, of: str, what: str = "the result") -> Any:
    """Return `value`; Mismatch unless it is an object of the notebook's class named `of`.

    For what is about to be asked for its attributes: data has none of them.
    """
    if type_name(value) != of:
        raise Mismatch(f"{what}: it should be an object of the class {of}, yours is {describe(value)}", "type")
    return value


def require(condition: object, message: str) -> None:
    """Raise Mismatch with `message`, which students see, unless the condition holds."""
    if not condition:
        with _about(None):
            raise Mismatch(message)


# --- kind, shape, dtype ---


def _compare(
    actual: object,
    expected: object,
    what: str,
    tolerance: Tolerance | None,
    axes: str = "",
    inputs: Mapping[str, object] | None = None,
) -> None:
    """Raise Mismatch unless entries agree within the tolerance, exactly where it is None."""
    form = _trusted(expected)[0]
    if axes and len(axes) != len(form.shape):
        raise ValueError(f"{what}: {len(axes)} letters for {len(form.shape)} axes")
    got, want = _matched(actual, expected, what, axes)
    _require_finite(got, want, what, axes)
    if (errors_of(got, want, tolerance) > 1).any():
        given = {name: _trusted(value)[1] for name, value in (inputs or {}).items()}
        difference = value_difference(got, want, tolerance, tolerance_for(form.dtype), given, axes)
        raise Mismatch(f"{what}: {difference}", "value")


def _matched(actual: object, expected: object, what: str, axes: str = "") -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the entries of both values, once kind, shape and dtype are found to agree."""
    want, wanted = _trusted(expected)
    got = form_of(actual)
    if got is None or got.kind != want.kind:
        raise Mismatch(f"{what}: it should be {_EXPECTED_KIND[want.kind]}, yours is {_told(actual)}", "type")
    if got.shape != want.shape:
        raise Mismatch(f"{what}: {shape_difference(got.shape, want.shape, axes)}", "shape")
    fits = _number_fits(got.dtype, want.dtype) if want.kind == "number" else got.dtype == want.dtype
    if not fits:
        raise Mismatch(f"{what}: its dtype should be {want.dtype}, yours is {got.dtype[:40]}", "dtype")
    return _entries(actual, want, what), wanted


def _trusted(expected: object) -> tuple[Form, NDArray[Any]]:
    """Return form and entries of the expected value; a TypeError here is the fault of the test."""
    form, entries = form_of(expected), entries_of(expected)
    if form is None or entries is None:
        raise TypeError(f"cannot compare with an expected value that is {describe(expected)}")
    return form, entries


def _number_fits(got: str, want: str) -> bool:
    """Whether one number may stand for another: integers for reals, never less precision."""
    one, other = np.dtype(got), np.dtype(want)
    if one.kind in "iu":
        return other.kind in "iufc"
    return one.kind == other.kind and one.itemsize >= other.itemsize


def _told(value: object) -> str:
    return "None; is a `return` missing?" if value is None else describe(value)


def _entries(value: Any, want: Form, what: str) -> NDArray[Any]:
    """Return the entries of a value of the kind and shape of `want`; a number's in the dtype of `want`."""
    if want.kind == "number":
        return _number(value, want.dtype, what)
    entries = entries_of(value)
    if entries is None:  # sparse, on the meta device, too large to hold
        raise Mismatch(f"{what}: it should be a plain dense tensor, yours is not", "type")
    return entries


def _number(value: Any, dtype: str, what: str) -> NDArray[Any]:
    plain = value.item() if isinstance(value, np.generic | np.ndarray) else as_base(value)
    try:
        with np.errstate(over="ignore"):
            return np.asarray(plain, dtype=dtype)
    except OverflowError:
        raise Mismatch(f"{what}: yours is far too large", "value") from None


# --- values ---


def _tolerance(expected: object, rtol: float | None = None) -> Tolerance | None:
    """Return the policy for an expected value, None where the comparison is exact."""
    return tolerance_for(_trusted(expected)[0].dtype, rtol)


def _require_finite(got: NDArray[Any], want: NDArray[Any], what: str, axes: Sequence[str] = ()) -> None:
    if np.isnan(want).any():
        raise ValueError(f"the expected value of {what} holds NaN, which equals nothing")
    wrong = ~np.isfinite(got) & (got != want)
    if wrong.any():
        raise Mismatch(f"{what}: {count(wrong, 'is not finite', 'are not finite')}{first(got, wrong, axes)}", "value")


_FINEST = 5e-6  # step of the rounding, relative to an array's largest entry
_STEPS = 20  # times what rounding errors may come to, where that is more
_BORDER = 0.05  # of a step: what is so near to the next one may be rounded either way
_SHIFT = 0.37  # of a step: so that no border lies at round numbers
_NOTHING = 1e-12  # what is smaller may be all rounding error
_WAVES = (1.0, 2.3, 3.1)  # per entry: sums with weights along them tell arrays apart
_MOST_WORDS = 1000  # of one fault
_MOST_TRIED = 256
_OPENS = b"question: "  # how a sealed text begins


@dataclass
class Seen:
    """What a test has seen of a fault: in words, and as numbers in steps of the rounding."""

    words: list[str] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)

    def note(self, *said: str, value: object = None) -> None:
        """Note what a test says of a fault, and the student's value that it is about."""
        self.words += said
        left = [value]
        while left and len(self.words) < _MOST_WORDS:
            left += reversed(self._note(as_base(left.pop())))

    def _note(self, value: Any) -> list[Any]:
        """Note a value, and return what is in it."""
        form, entries = form_of(value), entries_of(value)
        if form is not None and entries is not None:
            self.words.append(f"{form.kind} {form.shape} {form.dtype}")
            self._note_entries(entries)
        elif type(value) is str:
            self.words.append(plain_text(value))
        elif type(value) in (list, tuple, dict):
            self.words.append(f"{type_name(value)} {len(value)}")
            return [*value, *value.values()] if type(value) is dict else list(value)
        else:
            self.words.append(type_name(value))
        return []

    def _note_entries(self, entries: NDArray[Any]) -> None:
        if entries.dtype.kind in "biu":
            self.words.append(sha256(np.ascontiguousarray(entries).tobytes()).hexdigest())
            return
        parts = [entries.real, entries.imag] if entries.dtype.kind == "c" else [entries]
        tolerance = tolerance_for(entries.dtype.name)
        step = max(_FINEST, _STEPS * tolerance.floor if tolerance else 0.0)
        for part in parts:
            self._note_numbers(part.astype(np.float64).reshape(-1), step)

    def _note_numbers(self, numbers: NDArray[np.float64], step: float) -> None:
        finite = np.isfinite(numbers)
        self.words.append("" if finite.all() else repr(np.where(finite, 0.0, numbers).tolist()))
        kept = np.where(finite, numbers, 0.0)
        largest = float(np.abs(kept).max(initial=0.0))
        if largest < _NOTHING:
            self.words.append("nothing")
            return
        places = np.arange(1, kept.size + 1)
        sums = [float(np.cos(places * wave) @ (kept / largest)) for wave in _WAVES]
        self.numbers += [number / step + _SHIFT for number in (float(np.log(largest)), *sums)]


def keys_of(faults: Iterable[tuple[str, Seen]]) -> Iterator[str]:
    """Yield the keys that faults, by the names of their tests, may have: the likeliest first, none without a fault."""
    faults = list(faults)
    if not faults:
        return
    told = [(name, seen.words, len(seen.numbers)) for name, seen in faults]
    roundings = [_roundings(number) for _, seen in faults for number in seen.numbers]
    for tried, rounded in enumerate(product(*roundings)):
        if tried == _MOST_TRIED:
            return
        yield sha256(repr((told, rounded)).encode("utf-8", "replace")).hexdigest()


def _roundings(number: float) -> list[int]:
    whole = floor(number)
    rest = number - whole
    return [whole] + [whole - 1] * (rest < _BORDER) + [whole + 1] * (rest > 1 - _BORDER)


def sealed(question: str, key: str) -> str:
    """Return a text that shows the question to who has the key."""
    return b64encode(_mixed(_OPENS + question.encode(), key)).decode()


def opened(texts: Iterable[str], keys: Iterable[str]) -> str:
    """Return the question that one of the keys opens in one of the texts; empty where none does."""
    known = [b64decode(text) for text in texts]
    for key in keys:
        for text in known:
            if _mixed(text[: len(_OPENS)], key) == _OPENS:
                return _mixed(text, key)[len(_OPENS) :].decode()
    return ""


def _mixed(text: bytes, key: str) -> bytes:
    """Return the text with a stream of bytes that only the key gives; twice, the text itself."""
    stream = shake_256(f"the question of {key}".encode()).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, stream, strict=True))


def module_files() -> list[str]:
    """Return the names of their files."""
    return list(globals().get("MODULES", ()))


def text_of(file: str) -> str:
    """Return what a file beside the notebook holds; nothing where it cannot be read."""
    try:
        return Path(__file__).with_name(file).read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


def file_of_frame(frame: FrameType) -> str:
    """Return the file of the module whose code a frame runs; nothing for all other code."""
    file = f"{frame.f_globals.get('__name__')}.py"
    return file if file in module_files() else ""


def load_anew() -> str:
    """Load each module whose file has changed, for whoever has imported it; say why one cannot be, if so."""
    for file in module_files():
        module, text = sys.modules.get(file.removesuffix(".py")), text_of(file)
        if module is None or text == _texts.get(file):
            continue
        before = dict(vars(module))
        try:
            importlib.reload(module)
        except Exception as error:
            return _not_imported(file, error)
        _texts[file] = text
        _hand_on(module, before)
    return ""


def why_not_brought(names: Collection[str]) -> str:
    """Say what is wrong with the modules that should bring these names; nothing where other code brings some of them.

    So it is where the setup cell, which imports from modules at its end, has ended there.
    """
    modules: dict[str, list[str]] = globals().get("MODULES", {})
    if not {*names}.issubset(name for taken in modules.values() for name in taken):
        return ""
    importlib.invalidate_caches()
    for file, taken in modules.items():
        try:
            module = importlib.import_module(file.removesuffix(".py"))
        except (Exception, SystemExit) as error:
            return _not_imported(file, error)
        if lacking := [name for name in taken if name not in vars(module)]:
            return f"there is no `{lacking[0]}` in {file}"
    return ""


def _not_imported(file: str, error: BaseException) -> str:
    return f"{file} cannot be imported: {''.join(format_exception_only(error)).strip()}"


def _hand_on(module: ModuleType, before: dict[str, object]) -> None:
    """Put the new functions and classes in the place of the old ones in the notebook and in the other modules."""
    others = [sys.modules.get(file.removesuffix(".py")) for file in module_files()]
    for space in (vars(one) for one in (sys.modules["__main__"], *others) if one and one is not module):
        for name, value in vars(module).items():
            if (
                name in before
                and space.get(name) is before[name]
                and getattr(value, "__module__", None) == module.__name__
            ):
                space[name] = value


def without_imports(source: str, files: Collection[str]) -> str:
    """Return code without what it takes by `from ... import` from these modules, line by line where it was."""
    if not files:
        return source
    names = "|".join(re.escape(file.removesuffix(".py")) for file in files)
    taken = re.compile(rf"^([ \t]*)from[ \t]+(?:{names})[ \t]+import\b[ \t]*(?:\([^)]*\)|.*)", re.MULTILINE)
    return taken.sub(lambda found: (found[1] and f"{found[1]}pass") + "\n" * found[0].count("\n"), source)


_texts = {file: text_of(file) for file in module_files()}  # as the setup cell, which brings these checks, imports them


class UndefinedError(Exception):
    """A test calls a function that the notebook does not define."""


def tasks() -> dict[str, dict[str, Any]]:
    """Return TASKS, by the task's name: "title", "points", "functions", "variables" if any, "hint", "beyond"."""
    known: dict[str, dict[str, Any]] = globals()["TASKS"]
    return known


def names_of(kind: str) -> list[str]:
    """Return what all tasks name: their "functions" or their "variables"."""
    return [name for spec in tasks().values() for name in spec.get(kind, ())]


def asked_of(task: str) -> list[str]:
    """Return the functions and variables that a task asks for."""
    return [*tasks()[task]["functions"], *tasks()[task].get("variables", ())]


def notebook() -> dict[str, Any]:
    """Return the variables of the running notebook."""
    return vars(sys.modules["__main__"])


def is_defined(name: str) -> bool:
    """Whether the notebook has this function, class or variable."""
    return name in notebook() if name in names_of("variables") else callable(notebook().get(name))


def found(name: str) -> Any:
    """Return the function, class or variable of this name. Errors: UndefinedError."""
    if not is_defined(name):
        raise UndefinedError(name)
    return notebook()[name]


# --- why a name is not there ---


def setup_to_run() -> str:
    """Say that the setup cell must be run, if what it brings is not there, and what ended it; else nothing."""
    first_line, brought = globals()["SETUP"]
    missing = [name for name in brought if name not in notebook()]
    cell = f"the cell that begins with `{first_line}`"
    if missing and (fault := why_not_brought(missing)):
        return f"{fault}. Mend that, save the file, and run {cell} again"
    return f"first run {cell}: all others need it" if missing else ""


def why_undefined(names: Sequence[str]) -> list[str]:
    """Say of names that are not defined what may be the reason, and what to do.

    Cells that were run tell themselves; of others nobody here knows whether something is written in them.
    """
    failed = [name for name in names if _was_run(name)]
    others = [name for name in names if name not in failed]
    told = [f"`{name}` is not defined, as its cell ended with an error: run it again and read that" for name in failed]
    if others:
        listed = " and ".join(f"`{name}`" for name in others)
        it, its_cell, them = ("is", "its cell", "it") if len(others) == 1 else ("are", "their cells", "them")
        told.append(f"{listed} {it} not defined here: run {its_cell}; if nothing is written there yet, write {them}")
    return told


def is_restarted(task: str) -> bool:
    """Whether what an earlier task asks for is not there either, so that the cells above have probably not been run."""
    earlier = list(tasks())[: list(tasks()).index(task)]
    return any(not is_defined(name) and not _was_run(name) for one in earlier for name in asked_of(one))


def _was_run(name: str) -> bool:
    """Whether a cell that gives the name its value has been run since the kernel was started, as IPython remembers."""
    binds = re.compile(rf"^((async\s+)?def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*[=:,]", re.MULTILINE)
    return any(binds.search(str(cell)) for cell in notebook().get("In", ()))


def stub_of(error: BaseException) -> str | None:
    """Return the name of the notebook's function that says it is not written yet, else None.

    Libraries raise NotImplementedError too, so both the message and the place have to fit.
    """
    if type(error) is not NotImplementedError or str(error) not in ("", "not written yet"):
        return None
    *_, (frame, _) = walk_tb(error.__traceback__)
    name = function_name(frame)
    return name if is_own(frame) and name != "<module>" else None


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs code of the notebook, or of a module that students write."""
    return frame.f_globals is notebook() or bool(file_of_frame(frame))


def undefined_name(error: BaseException, names: Sequence[str]) -> str | None:
    """Return which of `names` is the one whose lack the error is about, else None."""
    name = error.name if type(error) is NameError else None
    return name if name in names else None


def function_name(frame: FrameType) -> str:
    """Return the function that a frame runs; the outermost one for a function within it, where Python (3.11) knows."""
    return str(getattr(frame.f_code, "co_qualname", frame.f_code.co_name)).split(".")[0]


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


_LONGEST_MESSAGE = 600
_LONGEST_LINE = 120
_MOST_TELLING = ("raised", "type", "shape", "said", "dtype", "changed", "value")  # first


class ToldLater(Exception):
    """A test has found an answer of the right form; whether it is right is told after grading."""


def told_later() -> None:
    """End a public test of which no more may be told than that there is an answer."""
    raise ToldLater


@dataclass(frozen=True)
class Finding:
    """What one public test found.

    kind: of a fault, what is not as it should be. seen: of a fault, what gives it away, which `known_mistakes.py` knows
    again. stub, undefined: the function that the test waits for, which is not
    written or not defined. is_open: whether there is an answer, of which more is told after grading.
    """

    sentence: str
    fault: str = ""
    kind: str = ""
    seen: Seen | None = None
    stub: str = ""
    undefined: str = ""
    is_open: bool = False

    @property
    def waits(self) -> bool:
        return bool(self.stub or self.undefined)

    @property
    def passed(self) -> bool:
        return not (self.fault or self.waits or self.is_open)

    @property
    def mark(self) -> str:
        return "✗" if self.fault else "·" if self.waits else "?" if self.is_open else "✓"

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands among others: faults first, of these the most telling one."""
        return "✗?·✓".index(self.mark), _MOST_TELLING.index(self.kind) if self.kind else 0


def finding_of(test: Callable[..., None]) -> Finding:
    """Run a public test on this notebook. Errors: KeyboardInterrupt alone."""
    sentence = (test.__doc__ or test.__name__).strip().splitlines()[0]
    try:
        test(OwnNotebook())
    except Mismatch as mismatch:
        return Finding(sentence, str(mismatch), mismatch.kind, _seen(test))
    except ToldLater:
        return Finding(sentence, is_open=True)
    except UndefinedError as error:
        return Finding(sentence, undefined=str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if stub := stub_of(error):
            return Finding(sentence, stub=stub)
        if name := undefined_name(error, names_of("functions") + names_of("variables")):
            return Finding(sentence, undefined=name)
        return Finding(sentence, _told_error(error), "raised", _seen(test))
    return Finding(sentence)


def _seen(test: Callable[..., None]) -> Seen:
    """Run a test that finds a fault once more, past what it would end with, for all that gives the fault away."""
    seen = Seen()
    ended = ""
    with noted() as mismatches:
        try:
            test(OwnNotebook())
        except Mismatch as mismatch:
            mismatches.append(mismatch)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            ended = _message(error)
    for one in mismatches:
        # A sentence on values has digits in it, which are not the same everywhere.
        seen.note(one.kind, "" if one.kind == "value" else str(one), value=one.value)
    seen.note(ended)
    return seen


def _message(error: BaseException) -> str:
    return "".join(format_exception_only(error)).strip()[:_LONGEST_MESSAGE]


def _told_error(error: BaseException) -> str:
    """Say what a student's code raised, and in which line of the student's cell."""
    message = _message(error)
    steps = [step for step in walk_tb(error.__traceback__) if is_own(step[0])]
    if not steps:
        return f"{message}\n(when this check calls your function, or works with what it returned)"
    frame, line = steps[-1]
    where = file_of_frame(frame) or f"the cell that defines `{function_name(frame)}`"
    told = f"{message}\n(in line {line} of {where})"
    return "\n".join([told, *_marked_line(frame.f_code.co_filename, line)])


def _marked_line(file: str, line: int) -> list[str]:
    """Return a line of a cell with a mark, and the one before it; nothing where the text is not known."""
    texts = {number: linecache.getline(file, number).rstrip() for number in (line - 1, line)}
    if not texts[line]:
        return []
    return [f"{'→' if n == line else ' '} {n:>3}  {text[:_LONGEST_LINE]}" for n, text in texts.items() if text]


_GREEN = "var(--jp-success-color1, #2e9d58)"
_RED = "var(--jp-error-color1, #e0483e)"
_GREY = "var(--jp-ui-font-color2, #808080)"
_COLOURS = {"✓": _GREEN, "✗": _RED, "·": _GREY, "?": _GREY}
_CODE = "font-family: var(--jp-code-font-family, monospace); font-size: 0.95em"
_NOTHING_YET = "nothing to check yet"
_AS_ABOVE = " (as above)"
_KNOWN = "These are the results of a known mistake"
_LATER = "whether it is right is told after you hand it in"


class Shown:
    """HTML for notebooks, text for all else."""

    def lines(self) -> Iterator[str]:
        raise NotImplementedError

    def html(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return self.html()


def show(shown: Shown) -> None:
    """Display in a notebook, print in a terminal or a script."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    if getattr(shell, "kernel", None) is None:
        print(shown)
    else:
        from IPython.display import display

        display(shown)


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """What the public tests of a task found.

    waiting: sentences on what keeps some of them from running. question: what is asked of who makes this known
    mistake. hint: for where there is no such question. beyond: what the grader tries and they do not.
    """

    title: str
    points: float
    findings: list[Finding]
    waiting: list[str]
    question: str = ""
    hint: str = ""
    beyond: str = ""

    @property
    def passed(self) -> bool:
        return not self.waiting and not any(finding.fault for finding in self.findings)

    @property
    def mark(self) -> str:
        marks = {finding.mark for finding in self.findings} | ({"·"} if self.waiting else set())
        return next((mark for mark in "✗·?" if mark in marks), "✓")

    @property
    def is_untouched(self) -> bool:
        return bool(self.waiting) and all(finding.waits for finding in self.findings)

    @property
    def _decided(self) -> list[Finding]:
        return [finding for finding in self.findings if not finding.is_open]

    @property
    def _is_an_answer(self) -> bool:
        return bool(self.findings) and not self._decided and not self.waiting

    @property
    def _hints(self) -> bool:
        return bool(self.hint) and not self.question and self.mark == "✗"

    @property
    def score(self) -> str:
        """How many checks pass, in words."""
        if self.is_untouched:
            return "; ".join(self.waiting)
        if not self.findings:
            return "there is nothing to run here, it is graded after you hand it in"
        if self._is_an_answer:
            return f"there is an answer; {_LATER}"
        passed, later = sum(finding.passed for finding in self._decided), len(self.findings) - len(self._decided)
        counted = f"{passed} of {len(self._decided)} checks pass"
        return f"{counted}; the answer of {later} is judged after you hand it in" if later else counted

    def headline(self) -> str:
        return f"{self.title}: {self.score}."

    def _reasons(self) -> Iterator[tuple[Finding, str]]:
        """Yield findings, the most telling first, with what is said below each; a reason is said once."""
        said: set[str] = set()
        for finding in sorted(self.findings, key=lambda one: one.place):
            reason = finding.fault or (_LATER if finding.is_open else "")
            yield finding, _AS_ABOVE if reason in said else reason
            said |= {reason} - {""}

    def _last_words(self) -> Iterator[str]:
        if self.waiting:
            yield f"{'; '.join(self.waiting)}."
        if self.passed and self._decided:
            yield f"Only the grader tries: {self.beyond}." if self.beyond else "The grader tries other inputs, too."

    def lines(self) -> Iterator[str]:
        yield self.headline()
        if self.is_untouched or self._is_an_answer or not self.findings:
            return
        for finding, reason in self._reasons():
            is_below = reason not in ("", _AS_ABOVE)
            yield f"  {finding.mark} {finding.sentence}{'' if is_below else reason}"
            if is_below:
                yield textwrap.indent(reason, " " * 6)
        for words in self._last_words():
            yield f"  {words}"
        if self.question:
            yield f"{_KNOWN}: {self.question}"
        elif self._hints:
            yield f"Hint: {self.hint}"

    def html(self) -> str:
        head = f"<div>{_mark(self.mark)} <b>{_html(self.title)}</b>: {_html(self.score)}.</div>"
        if self.is_untouched or self._is_an_answer or not self.findings:
            return _framed(head, self.mark)
        rows = list(self._reasons())
        passed = [_row(finding, "") for finding, _ in rows if finding.passed]
        parts = [head, *(_row(finding, reason) for finding, reason in rows if not finding.passed)]
        if len(passed) == len(rows):
            parts += passed
        elif passed:
            parts.append(_folded(f"{_mark('✓')} {len(passed)} that pass", "".join(passed)))
        parts += [f'<div style="margin-top: 0.4em">{_html(words)}</div>' for words in self._last_words()]
        if self.question:
            parts.append(f'<div style="margin-top: 0.4em"><b>{_KNOWN}</b>: {_html(self.question)}</div>')
        elif self._hints:
            parts.append(_folded("Hint", f"<div>{_html(self.hint)}</div>"))
        return _framed("".join(parts), self.mark)


@dataclass(frozen=True, repr=False)
class Overview(Shown):
    """What the public tests of all tasks found: results by the tasks' names."""

    results: dict[str, Result]

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results.values())

    def headline(self) -> str:
        worth = {mark: sum(one.points for one in self.results.values() if one.mark == mark) for mark in "✓?"}
        points = sum(one.points for one in self.results.values())
        later = f" Answers worth {worth['?']:g} are judged after you hand them in." if worth["?"] else ""
        return f"Checks pass in tasks worth {worth['✓']:g} of {points:g} points; the grader tries more.{later}"

    def _brief(self, result: Result) -> str:
        return _NOTHING_YET if result.is_untouched else result.score

    def _next(self) -> str:
        for name, result in self.results.items():
            if result.mark == "✗":
                return f'Next: run check("{name}"), which says what differs.'
            if result.waiting:
                return f"Next, {result.title}: {result.waiting[0]}."
        return "Next: save the notebook, let `python checks.py` say what the grader would stumble over, hand it in."

    def lines(self) -> Iterator[str]:
        width = max(len(result.title) for result in self.results.values())
        for result in self.results.values():
            points = f"{result.points:>4g} {'point ' if result.points == 1 else 'points'}"
            yield f"  {result.mark} {result.title:<{width}}  {points}  {self._brief(result)}"
        yield self.headline()
        yield self._next()

    def html(self) -> str:
        table = [_cells("th", "", "task", "points", "checks")]
        for one in self.results.values():
            table.append(_cells("td", _mark(one.mark), _html(one.title), f"{one.points:g}", self._brief(one)))
        words = "".join(f"<div>{_html(words)}</div>" for words in (self.headline(), self._next()))
        style = "border-collapse: collapse; margin: 0 0 0.4em 0"
        rows = "".join(table)
        return _framed(f'<table style="{style}">{rows}</table>{words}', "✓" if self.passed else "·")


# --- pieces of HTML ---


def _framed(inner: str, mark: str) -> str:
    style = f"border-left: 4px solid {_COLOURS[mark]}; padding: 0.2em 0 0.2em 0.8em; line-height: 1.5"
    return f'<div style="{style}">{inner}</div>'


def _mark(mark: str) -> str:
    return f'<b style="color: {_COLOURS[mark]}">{mark}</b>'


def _row(finding: Finding, reason: str) -> str:
    told = reason
    if reason not in ("", _AS_ABOVE):
        code = f"; {_CODE}" if finding.kind == "raised" else ""
        told = f'<div style="margin-left: 1.5em; white-space: pre-wrap{code}">{_html(reason)}</div>'
    return f'<div style="margin-top: 0.3em">{_mark(finding.mark)} {_html(finding.sentence)}{told}</div>'


def _cells(tag: str, *parts: str) -> str:
    style = "text-align: left; padding: 0.15em 1em 0.15em 0; vertical-align: top; background: none"
    cells = "".join(f'<{tag} style="{style}">{part}</{tag}>' for part in parts)
    return f"<tr>{cells}</tr>"


def _folded(summary: str, inner: str) -> str:
    return f'<details style="margin-top: 0.4em"><summary style="cursor: pointer">{summary}</summary>{inner}</details>'


def _html(text: str) -> str:
    """Return text as HTML, code between backticks in letters of code."""
    return re.sub(r"`([^`\n]+)`", rf'<code style="{_CODE}; background: none; color: inherit">\1</code>', escape(text))


Test = TypeVar("Test", bound=Callable[..., None])

_TESTS: dict[str, list[Callable[..., None]]] = {}
_FAILED_BEFORE: set[str] = set()  # tasks


class CheckFailed(AssertionError):
    """Raised under nbgrader's Validate button, which looks for an error in the cell."""

    def _render_traceback_(self) -> list[str]:
        """Let IPython show the message alone: the frames would all be ours."""
        return [f"{type(self).__name__}: {self}"]


class NotGraded(RuntimeError):
    """The notebook is being autograded without the grader."""

    def __init__(self) -> None:
        super().__init__(
            "this notebook was run without the course's grader plug-in, because its configuration "
            "is missing or broken. The score 0 means nothing: do not record it. To fix it, start "
            "nbgrader in the course folder whose nbgrader_config.py loads grader_config.py, and "
            "autograde again."
        )


def task(name: str, weight: float = 1) -> Callable[[Test], Test]:
    """Enter a public test under its task. One of weight 0 is told of only where it finds a fault.

    Hidden tests have the same mark from testing.py, where pytest reads it.
    """

    def enter(test: Test) -> Test:
        _TESTS.setdefault(name, []).append(test)
        vars(test)["is_quiet"] = not weight
        return test

    return enter


def check(name: str | None = None) -> None:
    """Run the public tests of a task, or of all, on this notebook's functions, and show what they found."""
    mode = os.environ.get("NBGRADER_EXECUTION")
    if mode == "autograde":
        raise NotGraded
    if name is not None and name not in tasks():
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(map(repr, tasks()))}")
    shown = Overview({one: _result(one) for one in tasks()}) if name is None else _checked(name)
    if mode != "validate":
        show(shown)
        return
    print(shown)
    if not shown.passed:
        raise CheckFailed(str(shown))


@contextmanager
def needs(*names: str) -> Iterator[None]:
    """Run a cell's block, or say what it waits for where a function is not written yet.

    names: the student's functions that the block uses. All other errors go through.
    """
    try:
        yield
    except (NotImplementedError, NameError) as error:
        stub = stub_of(error)
        waiting = stub or undefined_name(error, names)
        if waiting is None:
            raise
        undefined = [name for name in names if not is_defined(name)]
        listed = ", ".join(f"`{name}`" for name in dict.fromkeys([waiting, *undefined]))
        todo = "run the cells above; what is not written there yet, write" if undefined else "not written yet"
        print(f"This cell waits for {listed}: {todo}.")


def results_of(name: str) -> str:
    """Return the key of what is wrong with a task, empty where nothing is: the build seals questions with it."""
    return next(_keys(_tried(name)), "")


def _checked(name: str) -> Result:
    """Return what the public tests of a task find; from the second time on that one fails, with the task's hint."""
    result = _result(name)
    if result.mark == "✗":
        _FAILED_BEFORE.add(name)
    return result


def _result(name: str) -> Result:
    """Return what the public tests of a task find; where the setup cell has not been run, they are not."""
    spec = tasks()[name]
    first = load_anew() or setup_to_run()
    tried = [] if first else _tried(name)
    findings = [finding for _, finding, is_quiet in tried if finding.fault or not is_quiet]
    stubs = [f"`{stub}` is not written yet" for stub in dict.fromkeys(one.stub for one in findings if one.stub)]
    used = [one.undefined for one in findings if one.undefined]
    undefined = list(dict.fromkeys([*(one for one in asked_of(name) if not is_defined(one)), *used]))
    waiting = [first] if first else [*why_undefined(undefined), *stubs]
    if undefined and not first and is_restarted(name):
        waiting.append("if the kernel was started again, run all cells above")
    question = opened(globals()["SEALED"].get(name, ()), _keys(tried))
    hint = spec["hint"] if name in _FAILED_BEFORE else ""
    return Result(spec["title"], spec["points"], findings, waiting, question, hint, spec.get("beyond", ""))


def _tried(name: str) -> list[tuple[str, Finding, bool]]:
    """Return each public test of a task: its name, what it finds, and whether it tells of nothing but faults."""
    return [(test.__name__, finding_of(test), vars(test)["is_quiet"]) for test in _TESTS.get(name, [])]


def _keys(tried: list[tuple[str, Finding, bool]]) -> Iterator[str]:
    """Yield the keys that what is wrong may have; how something is written is no result."""
    return keys_of((name, finding.seen) for name, finding, is_quiet in tried if finding.seen and not is_quiet)


_IN_A_TRIAL = "CHECKS_IN_A_TRIAL"  # in the environment of the kernel, so that it starts none itself
_IMPORTED = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE)
_BESIDE_PYTHON = ("IPython", "mpl_toolkits")
_MOST_TOLD = 20
_LONGEST_TOLD = 200
_MIB = 1 << 20
_WITHOUT_NETWORK = """
import socket


def _refused(*_, **__):
    raise OSError("the grader has no network")


socket.getaddrinfo = socket.create_connection = _refused
del socket, _refused
"""
_REMARKS = {
    "NameError": "cells are run from top to bottom, each once",
    "ModuleNotFoundError": "it is not installed here, and may not be where notebooks are graded",
    "FileNotFoundError": "the grader has no other files than those that came with the notebook",
}


class _NotTried(Exception):
    """There is no way to run the notebook, in a sentence."""


def before_handing_in() -> None:
    """Run this notebook, as it is saved, from top to bottom, and say what the grader would stumble over."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if os.environ.get(_IN_A_TRIAL) or getattr(shell, "kernel", None) is None:
        return
    print("This takes as long as your cells take. What is not saved is not seen.")
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, encoding="utf-8")
    print(f"{done.stdout}{done.stderr[-2000:]}".strip())


def hand_in_trial(arguments: Sequence[str]) -> int:
    """Try the notebook that is named, or the one beside this file, print what was found, and return the exit status."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        path = _notebook_file(arguments)
        cells = _cells_of(path)
        found = [*_odd_name(path), *_odd_cells(cells), *_lost_files(), *_odd_imports(cells)]
        with _kernel() as client:
            trial = _Trial(client)
            trial.run(_WITHOUT_NETWORK)
            found += trial.run_all(cells)
            checked = trial.said_by_checks()
    except _NotTried as error:
        print(error)
        return 2
    if found:
        print(f"{path.name}: the grader would stumble over this:")
        print("\n".join(f"  ✗ {one}" for one in found[:_MOST_TOLD]))
        print(f"  and {len(found) - _MOST_TOLD} more\n" * (len(found) > _MOST_TOLD), end="")
    else:
        print(f"{path.name}: it runs from top to bottom, and has what the grader needs.")
    if checked:
        print(f"\n{checked}")
    return 1 if found else 0


def _grader() -> dict[str, Any]:
    """Return GRADER: "notebook", "cells", "files", "packages", and limits."""
    known: dict[str, Any] = globals()["GRADER"]
    return known


# --- the file ---


def _notebook_file(arguments: Sequence[str]) -> Path:
    folder = Path(__file__).resolve().parent
    if arguments:
        return Path(arguments[0])
    path = folder / str(_grader()["notebook"])
    others = sorted(folder.glob("*.ipynb"))
    if not path.is_file() and len(others) == 1:
        return others[0]
    return path


def _cells_of(path: Path) -> list[dict[str, Any]]:
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [dict(cell, source="".join(cell["source"])) for cell in cells]
    except FileNotFoundError:
        raise _NotTried(f"there is no notebook {path}; name it, as in: python {Path(__file__).name} NOTEBOOK") from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise _NotTried(f"{path} cannot be read as a notebook: {error}") from None


def _odd_name(path: Path) -> Iterator[str]:
    if path.name != (wanted := _grader()["notebook"]):
        yield f"the file is named {path.name}; hand it in as {wanted}"


def _odd_cells(cells: list[dict[str, Any]]) -> Iterator[str]:
    there = Counter(str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")) for cell in cells)
    for name in _grader()["cells"]:
        if there[name] == 0:
            yield f"the cell `{name}` is missing: copy it from the notebook that you were given"
        elif there[name] > 1:
            yield f"the cell `{name}` is there {there[name]} times, and one of them counts: delete the others"


def _lost_files() -> Iterator[str]:
    for name in _grader()["files"]:
        if not Path(__file__).with_name(name).is_file():
            yield f"the file {name} is missing beside the notebook"


def _odd_imports(cells: list[dict[str, Any]]) -> Iterator[str]:
    known = {*sys.stdlib_module_names, *_BESIDE_PYTHON, Path(__file__).stem, *_grader()["packages"]}
    known |= {file[: -len(".py")] for file in _grader()["files"] if file.endswith(".py")}
    imported: dict[str, None] = {}
    for cell in cells:
        for one, several in _IMPORTED.findall(cell["source"]) if cell["cell_type"] == "code" else ():
            imported |= dict.fromkeys([one] if one else [part.split()[0].split(".")[0] for part in several.split(",")])
    for name in imported:
        if name not in known:
            yield f"`{name}` is imported, and you can count on {', '.join(_grader()['packages'])} alone"


# --- the run ---


@contextmanager
def _kernel() -> Iterator[Any]:
    """A client of a new kernel, in a folder that has what the grader has, and nothing else."""
    try:
        from jupyter_client.manager import start_new_kernel
    except ImportError:
        raise _NotTried("install ipykernel to try the notebook: python -m pip install ipykernel") from None
    here = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        for name in (Path(__file__).name, *_grader()["files"]):
            if (here / name).is_file():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(here / name, Path(folder) / name)
        environment = {**os.environ, _IN_A_TRIAL: "1"}
        environment.pop("NBGRADER_EXECUTION", None)
        try:
            silent: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            manager, client = start_new_kernel(cwd=folder, env=environment, **silent)
        except Exception as error:  # of many types: no kernel is installed, it does not start
            raise _NotTried(f"no kernel could be started: {error}") from None
        try:
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


class _Trial:
    """A run of cells in a kernel. is_stuck: whether one has not come to its end, so that no other can be run."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.is_stuck = False

    def run(self, source: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Run code, and return the kernel's reply, empty where there is none, and what is shown."""
        shown: list[dict[str, Any]] = []
        try:
            reply = self._client.execute_interactive(
                source,
                allow_stdin=False,
                timeout=_grader()["wall_seconds"],
                output_hook=lambda message: shown.append(message["content"]),
            )
        except TimeoutError:
            self.is_stuck = True
            return {}, shown
        return dict(reply["content"]), shown

    def run_all(self, cells: list[dict[str, Any]]) -> Iterator[str]:
        """Run all cells of code, and say which of them fail, take too long or say too much."""
        limits, seconds, output = _grader(), 0.0, 0
        for number, cell in enumerate((cell for cell in cells if cell["cell_type"] == "code"), start=1):
            where = f"code cell {number} (`{cell['source'].strip().partition(chr(10))[0][:60]}`)"
            started = time.monotonic()
            reply, shown = self.run(cell["source"])
            took, size = time.monotonic() - started, len(json.dumps(shown, default=str))
            seconds, output = seconds + took, output + size
            if self.is_stuck:
                yield f"{where} has not come to its end after {limits['wall_seconds']:g} s; the rest was not run"
                return
            if reply["status"] == "error":
                yield f"{where} raises {_told_reply(reply)}"
            if took > limits["cpu_seconds"]:
                yield f"{where} took {took:.0f} s here; the grader gives a cell {limits['cpu_seconds']:g} s"
            if size > limits["output"] * _MIB:
                yield f"{where} prints or draws more than {limits['output']} MiB; the rest is left out"
        if seconds > limits["total_cpu_seconds"]:
            yield f"all cells together took {seconds:.0f} s here; the grader gives {limits['total_cpu_seconds']:g} s"
        if output > limits["total_output"] * _MIB:
            yield f"all cells together print or draw more than {limits['total_output']} MiB; the rest is left out"

    def said_by_checks(self) -> str:
        """Return what `check()` says of all tasks once the cells have run."""
        if self.is_stuck:
            return ""
        _, shown = self.run(f"import {Path(__file__).stem} as checks; checks.check()")
        return "\n".join(str(one.get("data", {}).get("text/plain", "")) for one in shown).strip("\n")


def _told_reply(reply: dict[str, Any]) -> str:
    told = f"{reply['ename']}: {reply['evalue']}".strip()[:_LONGEST_TOLD]
    remark = _REMARKS.get(reply["ename"], "")
    return f"{told} ({remark})" if remark else told


_STEP_SIZE = 1e-5  # of entries up to 1, and relative to larger ones
_AGREES = 1e-5  # relative: slopes are no better than that
_KINK = 1e-3  # relative difference of the slopes to both sides
_FLAT = 1e-6  # slopes that are no more tell no kink


def grad_check(f: Callable[[Any], Any], df: Callable[[Any], Any], x: Any) -> bool:
    """Compare the gradient df(x) with the slopes of f at x, print which entries are off and by how much.

    f: takes an array or tensor like x, and returns one number. df: takes the same, and returns an array or tensor of
    x's shape. x: of float64; it is never written into. Returns whether all entries agree. Where f has a kink, as relu
    at 0, there is no slope: such entries are named and not compared.
    Errors: ValueError where x or what f returns is something else.
    """
    form, at = form_of(x), entries_of(x)
    if form is None or at is None or form.dtype != "float64":
        raise ValueError(f"grad_check needs an x of float64, yours is {describe(x)}; slopes need all its digits")
    slopes, is_kink = _slopes(f, x, at.astype(np.float64))
    gradient = df(_like(x, at))
    right = slopes
    if (got := entries_of(gradient)) is not None and got.shape == slopes.shape:
        right = np.where(is_kink, got, slopes)
    kinks = f"; f has a kink at {_indices(np.argwhere(is_kink)[0])}, so nothing is said there" if is_kink.any() else ""
    try:
        assert_close(gradient, _like(x, right), "df(x)", rtol=_AGREES)
    except Mismatch as mismatch:
        print(f"grad_check: {mismatch}{_largest(got, right)}{kinks}")
        return False
    print(f"grad_check: df(x) agrees with the slopes of f in all entries{kinks}")
    return True


def _slopes(f: Callable[[Any], Any], x: Any, at: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the slope of f along each entry, and whether it is another one on either side."""
    here = _value(f, x, at)
    sides = np.array([[(_value(f, x, moved) - here) / by for by, moved in _moves(at, n)] for n in range(at.size)])
    ahead, behind = sides.reshape(-1, 2).T.reshape(2, *at.shape)
    sizes = np.maximum(abs(ahead), abs(behind))
    is_kink = (abs(ahead - behind) > _KINK * sizes) & (sizes > _FLAT * max(1.0, abs(here)))
    return np.asarray((ahead + behind) / 2), np.asarray(is_kink)


def _moves(at: NDArray[np.float64], number: int) -> Iterator[tuple[float, NDArray[np.float64]]]:
    """Yield both neighbours along one entry, and how far away they are."""
    for sign in (1.0, -1.0):
        moved = at.copy()
        before = moved.flat[number]
        moved.flat[number] += sign * _STEP_SIZE * max(1.0, abs(before))
        yield moved.flat[number] - before, moved


def _value(f: Callable[[Any], Any], x: Any, at: NDArray[np.float64]) -> float:
    result = f(_like(x, at))
    entries = entries_of(result)
    if entries is None or entries.size != 1 or entries.dtype.kind not in "fiu":
        raise ValueError(f"f should return one number, yours returns {describe(result)}")
    return float(entries.reshape(-1)[0])


def _like(x: Any, entries: NDArray[Any]) -> Any:
    """Return a new array of these entries, or a tensor if x is one."""
    copied = np.array(entries, dtype=np.float64)
    return sys.modules["torch"].tensor(copied, device=x.device) if is_tensor(x) else copied


def _largest(got: NDArray[Any] | None, right: NDArray[Any]) -> str:
    """Say of the entry that is off most what df returns and what the slope is."""
    if got is None or got.shape != right.shape or not np.isfinite(got).all():
        return ""
    place = np.unravel_index(int(np.argmax(abs(got - right))), right.shape)
    return f"; at {_indices(place)} df says {got[place]:.6g}, the slope of f is {right[place]:.6g}"


def _indices(indices: Any) -> str:
    return str([int(one) for one in indices])


def f64(values):
    return torch.tensor(values, dtype=torch.float64)


def small_block():
    """Inputs of a block with one hidden unit awake and one asleep: x, w1, b1, w2, b2."""
    return [
        f64([1.0, 2.0]),
        f64([[1.0, -1.0], [1.0, -1.0]]),
        f64([1.0, 1.0]),
        f64([[0.5, -1.0], [7.0, 7.0]]),
        f64([10.0, -20.0]),
    ]


def example(dtype=torch.float64, batch=(2,)):
    """Inputs of the size in the lesson, from a fixed seed: x, w1, b1, w2, b2."""
    rng = torch.Generator().manual_seed(1)
    shapes = [(*batch, 4), (4, 8), (8,), (8, 4), (4,)]
    return [torch.randn(shape, generator=rng, dtype=torch.float64).to(dtype) for shape in shapes]


def slopes(f, args, which, eps=1e-6):
    """Central differences of the scalar function f with respect to args[which]."""
    result = torch.zeros_like(args[which])
    for k in range(result.numel()):
        step = torch.zeros_like(result)
        step.view(-1)[k] = eps
        ends = [[*args[:which], args[which] + s, *args[which + 1 :]] for s in (step, -step)]
        result.view(-1)[k] = (f(ends[0]) - f(ends[1])) / (2 * eps)
    return result


@task("residual_block")
def test_example_shape(student):
    """The example of the lesson: x (2, 4) and a hidden layer of 8."""
    out = student.residual_block(*example(torch.float32))
    require(isinstance(out, torch.Tensor), "residual_block must return a torch tensor.")
    require(out.shape == (2, 4), f"x has shape (2, 4), but out has shape {tuple(out.shape)}.")
    require(out.dtype == torch.float32, f"x is float32, but out is {out.dtype}.")


@task("residual_block")
def test_numbers_by_hand(student):
    """Two hidden units, one awake and one asleep, small enough to do on paper."""
    assert_close(student.residual_block(*small_block()), f64([13.0, -22.0]), what="out")


@task("residual_block")
def test_batch_axes(student):
    """A batch of sequences gives for each vector what the vector gives alone."""
    x, *weights = example(batch=(2, 3))
    out = student.residual_block(x, *weights)
    alone = [student.residual_block(row, *weights) for row in x.reshape(-1, 4)]
    for row in alone:
        require(
            isinstance(row, torch.Tensor) and row.shape == (4,),
            "For a single vector x of shape (4,) out must be a tensor of shape (4,).",
        )
    assert_close(out, torch.stack(alone).reshape(2, 3, 4), what="out")


@task("residual_block")
def test_inputs_untouched(student):
    """No input is changed by the call."""
    args = example()
    handles = [student.put(a) for a in args]
    student.residual_block(*handles)
    for name, handle, before in zip(("x", "w1", "b1", "w2", "b2"), handles, args, strict=True):
        assert_unchanged(student.get(handle), before, what=name)


@task("residual_block")
def test_gradients_fit_the_output(student):
    """The gradients of all five inputs agree with finite differences of your own output."""
    args = example()
    upstream = f64([[1.0, -2.0, 0.5, 3.0], [0.25, 1.5, -1.0, 2.0]])

    def loss(inputs):
        out = student.residual_block(*inputs)
        require(isinstance(out, torch.Tensor), "residual_block must return a torch tensor.")
        require(out.shape == (2, 4), "out must have the shape of x.")
        return (out * upstream).sum().item()

    _, grads = student.gradients("residual_block", *args, upstream=upstream)
    for which, name in enumerate(("x", "w1", "b1", "w2", "b2")):
        require(grads[which] is not None, f"No gradient reaches {name}.")
        assert_close(grads[which], slopes(loss, args, which), what=f"d{name}", rtol=1e-4)


@task("identity_gradient")
def test_silent_branch(student):
    """w2 and b2 are zero and the upstream gradient is all ones."""
    x, w1, b1, w2, b2 = example(torch.float32)
    out, grads = student.gradients("residual_block", x, w1, b1, 0 * w2, 0 * b2)
    assert_exact(out, x, what="out")
    assert_exact(grads[0], torch.ones_like(x), what="x.grad")


@task("identity_gradient")
def test_silent_branch_any_upstream(student):
    """w2 and b2 are zero and the upstream gradient is some other tensor."""
    x, w1, b1, w2, b2 = example()
    upstream = f64([[1.0, -2.0, 0.5, 3.0], [0.1, 1.5, -1.0, 2.0]])
    _, grads = student.gradients("residual_block", x, w1, b1, 0 * w2, 0 * b2, upstream=upstream)
    assert_exact(grads[0], upstream, what="x.grad")


@task("jacobian")
def test_identity_piece(student):
    """The first piece is the identity matrix, in the dtype of x."""
    for dtype in (torch.float32, torch.float64):
        result = student.residual_jacobian(*example(dtype, batch=()))
        identity, _ = expect_tuple(result, "identity", "branch_jacobian")
        assert_exact(identity, torch.eye(4, dtype=dtype), what="identity")


@task("jacobian")
def test_one_hidden_unit(student):
    """One hidden unit that is awake, small enough to do on paper."""
    args = [f64([1.0, 1.0]), f64([[1.0], [2.0]]), f64([0.5]), f64([[3.0, 4.0]]), f64([9.0, 9.0])]
    _, branch = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    assert_close(branch, f64([[3.0, 6.0], [4.0, 8.0]]), what="branch_jacobian")


@task("jacobian")
def test_hidden_unit_asleep(student):
    """The same hidden unit, but its bias keeps it asleep: nothing gets through the branch."""
    args = [f64([1.0, 1.0]), f64([[1.0], [2.0]]), f64([-5.0]), f64([[3.0, 4.0]]), f64([9.0, 9.0])]
    _, branch = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    assert_close(branch, f64([[0.0, 0.0], [0.0, 0.0]]), what="branch_jacobian")


def slope_block(slope):
    """Parameters of a branch of width 1 that multiplies a positive number by the slope."""
    return f64([[1.0]]), f64([0.0]), f64([[slope]]), f64([0.0])


@task("stack_gradient")
def test_returns_a_float(student):
    """The result is a Python float."""
    value = student.stack_input_gradient(f64([[2.0]]), [slope_block(3.0)], True)
    require(
        isinstance(value, float),
        f"Return a Python float, not {type(value).__name__}; .item() makes one of a tensor.",
    )


@task("stack_gradient")
def test_stack_by_hand(student):
    """Blocks of width 1 whose slopes can be multiplied on paper."""
    x, params = f64([[2.0]]), [slope_block(3.0), slope_block(0.5)]
    assert_close(student.stack_input_gradient(x, params[:1], False), 3.0, what="one branch")
    assert_close(student.stack_input_gradient(x, params[:1], True), 4.0, what="one block")
    assert_close(student.stack_input_gradient(x, params, False), 1.5, what="two branches")
    assert_close(student.stack_input_gradient(x, params, True), 6.0, what="two blocks")


@task("stack_gradient")
def test_norm_over_all_entries(student):
    """Three rows that each receive the same gradient."""
    x = f64([[1.0], [2.0], [3.0]])
    value = student.stack_input_gradient(x, [slope_block(3.0)], True)
    assert_close(value, 4.0 * math.sqrt(3.0), what="norm")


@task("stack_gradient")
def test_twice_the_same(student):
    """Two calls with the same x give the same number and leave x as it was."""
    x = student.put(f64([[2.0], [5.0]]))
    first = student.stack_input_gradient(x, [slope_block(3.0)], False)
    again = student.stack_input_gradient(x, [slope_block(3.0)], False)
    assert_close(first, 3.0 * math.sqrt(2.0), what="first call")
    assert_close(again, 3.0 * math.sqrt(2.0), what="second call")
    assert_unchanged(student.get(x), f64([[2.0], [5.0]]), what="x")


if __name__ == "__main__":
    sys.exit(hand_in_trial(sys.argv[1:]))


# Questions that belong to known mistakes. Only the results of such a mistake open its question.
SEALED = {'identity_gradient': ['/+eRI06i1v0BwpTcfaUcb0jlneVopQf+s/0mBNY3uv30ktW/MDiXsoxa4ykKf0y/sAwh5AoxRc43B4T5CkkIXOLvZLD4h5kvZd7CI9ZO+KN9yYsX/cs88LKcwlx5wkc=',
                       '1DVwhk4U/qeJbLG9HRxaUqbr2uT3KmNnNV1fg0YZlPEOsRvE5dxpE2HUQUB2jGvZn3QNj+KPw3wB6yWHZ2fX3A/2RNIuM5b6yE5kPGS06OGUkOC3G1H+D3iVJi+q',
                       '1DVwhk4U/qeJbLG9HRxaUqbr2uT3KmNnNV1fg0YZlPEOsRvE5dxpE2HUQUB2jGvZn3QNj+KPw3wB6yWHZ2fX3A/2RNIuM5b6yE5kPGS06OGUkOC3G1H+D3iVJi+q',
                       '3sPMUPXO+lVlJq0N3wKo8TM8P6U8s43uk12oP7ZKm79Rdt6c0DJw4+NmAwnRJto8BBMkBDQdOcZtbvNtwi4ZC3q7ireGqqsVqMMBC7hV4ijCg26buLWFl5RDVWQ=',
                       'GD/l+QPCHTo4G6rNYLqvH7h2w2wLnS/Ej5ClwQMwdSyd0lU/tD6pDsCQp8xmk+R9VyMa/8/tX4VUasjrlKEhdkqu9r88qiJ5Q7xsIqeIwu//cF0HcFstMxUE7AW+m1nc',
                       'Hc+NAFf89ydFnjyG+/KbyrX6ypy/q9jCilzmJi6WZPQlIJd9KG5SgidON6o1T4TltQBStqVbSRkt4nQsRYh/A+s7Tp9i5+f7VP11ngls1Erd+LJiltr6CkhI',
                       'PTqlSKIgjD2yvpm/riGa62Fa2EQTm3ccaZ4qPm9x18EAx+usxy2YdhC0rowL2mz/VXgBjWLH8xrWX2IE2A==',
                       'TDybN3PKOGb4D3OKycbMyuEAouybv1ixAQcgGmZ3AV+uR4nwP72uI0K6MMNdMuSKW5OSxYDsr+iclem+VrTFE8qnSH8=',
                       'jY6LHGSFqdwwGxYsR6N8Hls4jAvKhM8rveZkbq8GJhiRNL0B9FHhXjBk2evV8YOaWswt76oz',
                       'nVgN9+aNZHCQNYaXMpwZTz9pMEw6hOxPD7IRQ55U0XCx5PhMv0iVYNqFFAEgXtFvViF63LeknqkG4XVJISh5DJYI6UnIAsUHDw==',
                       'zTlg2btiVDDVJaVc6C/qrqW5fYSphlqG370+pQuHCPIGK5lyAMH9BlRrJiqm8uTTtKAv1t0LabAAj4jIe9rNRIrKleoGcN5g6Yvjtpz4QAbw4al3hlg33A=='],
 'jacobian': ['AHYyED0pY4j6YddDXuRqFiOi1C5CX3CGsYHEbYCwDEEjr0j/y35c+FukrqReO93gwC12XcE=',
              'CxODu50VuT5vvsbOUgDSsXb1/SW7lZLGomk5z5/tZZDblOYsizUg60Ctet8gExS/XobEkmY1ZDUi2kv3SJ4jFDOBBKHD/Cvax2+u',
              'M/aSU8ydJnyib8amyVQXM0xoVQ4jCY2Z5VIzIX64smBogiaJ5ul24XQHVvTmDoJiqKqr/oLzKkhs9TEYtWkOdguyAnWO8giXckNwuHIn',
              'NK4MnvF5AON4P0IlJRhyzZ4poKmbQTfBJ7ECaY1ZpM72nGb3cYDQysaTMr8b7f+qf4NbZ06fyu21',
              'SW9eRVHodgypct2zBtlEBHvCtX0LUeC8RqD/Jobs0GGhYWuny3cSNuLHj6CW7D7+pH4INTzqfwjNE0I0JbYZQ43KGUug+di1IpUISpY=',
              'mZKCL3QFkr1k0qxdJCwoNZTZXbp0bTiSac+9hymX+w0LZE/pfnZ4Iy6zwshlCO0ghbojYw==',
              'rKWhKfa5bVG539mWdVr4Za0fh9qIQVC83NWRzIadDClHme9R/z9ivNFUNzrp8b3dhugMv9toi+munNkib4FFho3ZmIij/Rcq',
              'w2wfdKzznehCHjA/qOjVF2W6xkbdifT5fOQNJ9u/ggAosGDpufz6UJVOa70NsXG50ku6n7+rPvcTJ7D9g57UDZo='],
 'residual_block': ['/s5wpbL3j5JCL/eMlpzL0B2K1BVYcFh9XiPNlgbbUv9a0J2HLRZ9Wmb1DYVWoUpkgfWToRWN77XjZvk0EQu0VyceULg5B0TE6HO38BhINi+8t3t2n5BVVzUejxsZnow=',
                    '34AvddcjoCiA0Bn2zqbqwVvRTnM4Bbjh3BzlSr0afZLNj01lDh3RsHUi5gi905MAhlguzWZo1fUj/qoNs4LFsHTzvlThZyxCFw==',
                    '667rUdc9zL1PIoFExQZRUsKmE8+eiGEjDYuh1fzDJ1vyd9za/sC42JZb2/Itb2xim9gCkQEaBhBRfqKmvZrIgem/h9dsxpj8ou67zUP+xHuvP8SaI9BA20vjHQk=',
                    '6gB5bL8VpTpfGxeaf3ROOGMP6MpD2tEx3K5MJyiF2OXSCoJTON9Ix0/L03pRabmapXo3t3zsrSPNpBCLIUt2aqd3PzuCz6HLkceTCyVrHbim3pVaxEgg7js=',
                    '7psKcHcftcDteLwLGVMYpeQ7OwV5KVOehUmbP1YFyYjPTkuqxqp8hx/zJoaucsTh5ia/xJU=',
                    'BIQiNHVETDFVjYQKPKoZeaRw4+j6t65RC28aWzrd6hfZ+/44FC7TL7wPM2aWM088wsYHcx+sJuMcN92cTPDJ3CcUm/0PfaLDlQ==',
                    'DWXEHH1cAsH0QtAVw56DnnC4mEa571uUuQlAAIf/698SrjERjINIxsEwQPaHJ2wqDNgEA7/a',
                    'DxxNxoA23cUjF4bZrZNbaqyVhvtsnxmyK/qlclBI4VYXirc376hdwssjtcN6oNM1gRLwct3RRFFCMWaDllIHi8Vkv+45PeHL7oXrVopdqDjUvCGefd4XFHzmZDbJ6LOD6yHMD5A=',
                    'FuK3vz4adcGgri7hTI9C03IIvwCyysVphS5rHdBFe1br7wRxCF81bBx0/ZOzH24rcbeveN1v+CipLJGpNyeSgq7uu+U=',
                    'J9YkPPbThz0MrcpUyAknc0LjTVsx04aGQ289rk8IfOUoMBChlasyDvFuQI4JwF7Ut1KxuBRfi7PbxHuqcFwgTqeV+PoaDENdoxFeHqxLvATxNozPuLpx3T72AymbpNXPfiYArA==',
                    'PEHdUTsiWPcmHJrkZ6kaSRpnFQxh1k4vG2OVCq68HmIhVpGym9MrK8a7mRs1Y3ImTiqkRQXdm9b4CV7k6oD93C7A64vKFJJHTpbsWH4wZ+C9bjay43W3Qd2O',
                    'PEHdUTsiWPcmHJrkZ6kaSRpnFQxh1k4vG2OVCq68HmIhVpGym9MrK8a7mRs1Y3ImTiqkRQXdm9b4CV7k6oD93C7A64vKFJJHTpbsWH4wZ+C9bjay43W3Qd2O',
                    'UfSyxhbWC5QkaMVDYXl0Bzj08RhVaXBxnILh752GU/NW9saQDNZiZzAI5k2jRfSUb0pZ34gjtY7T5opmBa2Ij3g8gx8hqYCVdgl1uTaM5k4X88PO1BPTMu9PoVs9aUkn',
                    'Uu+S4ar5XIw5fKlmxwCW29R2glOz57LXUi1UAG0994RD90cQ2EDhOwYPkvyxhxfQ7IC9ZyRgLngqTz9+wg==',
                    'awKMcVegbnjqs8Wgfn4nYN+6FA9epc6zo+Jkxsn2YUAZMXz2K/+JNYec7UHhY89mkiCJ3MfzPaau19bbu8NjP/+YQzrcZYf66CZu',
                    'eL9of83DzM07r7Fu7B5RPsk2xzB/3zw0ZxRH25/GWTD00CMDPTo7lETO5bBcmzp+fhZ061ZVOBQ2Q5NqZ5QG25eQLz2QwMlLzII19fk7BJZtwLs=',
                    'qnAtkhfQikoQXl34s0outAvRRE9Kj/CekYcgb1MNjfV3K5NLMAmzVdc3104XBkFjIeA6CdbMebbgmNRZ19VPZlKo36XYkV9+FvcYJWgMslo2+kKOdgSGj8ZD',
                    'qoJLypgNj4B9hRBYmr/c9oH1+Gj+8lsJpyIZUyGOmTzIoWX7mGboFnIp/FktuHl2uzmO/SpFjIqJQ57dA5Zc2zkFVN2rhBTcSJ9pXTYg66NnoW7cuCkyFw==',
                    's7U+Kaos3C5bX1+Hm1asQAgs74iCkADXDfToE28pmAQJT2l7IIzhH1p1BUZSR/RAi9zyONlu8eV74ANpV7FLH6oiJQql1ZLYTtLDOFXvqe6OTH0UdzZUe3Y9kARSVQ==',
                    't8t+9fj3vImNxrds7VlPE4JdbXT8MQjXBBDwDRjf4zL3dyPRy7podiwY7t/8aDJCCZWH6JlxNff5CuAM3MepgBhThnJyyJ2JJtk8XxokW0kZYKe6r1yU4AEIdYl6',
                    't8t+9fj3vImNxrds7VlPE4JdbXT8MQjXBBDwDRjf4zL3dyPRy7podiwY7t/8aDJCCZWH6JlxNff5CuAM3MepgBhThnJyyJ2JJtk8XxokW0kZYKe6r1yU4AEIdYl6',
                    'wc3TTzD4vUXjvjlsL4nUxqdVSuqErfYX97wbRovWR4Ld9vfA',
                    'xfHMa1Tw+Cftddn0ofAY65GYZjd5PNbB3fg5JevvQyzWWOj7bs6uGbttNbLqA92V/Wy+su7jOrUHqCd/KPU/QexYCZd12+GDtaFVbg==',
                    'zTohzwFEeahFzVDUzEyr0egVEOenVT78hpuNN6TYAe9Shm7NZvtdfMNB31S8HtSgkLkSYwBmIMlnIQWxLCxDmr40YokTYrcFMbE=',
                    'zscv2H/jiBsi4Ydqlx0UvTszFTNJrS5zJGGigALUD4p9EaSkWKaQuZSdQc5GlUIc0h7HF0nYn0XZWheYjcSvr2/NlkKjUujxrBrcew=='],
 'stack_gradient': ['+JrJ3oYY0ZN70PbNEPYTno9nUexJbwqbdXOgqYzkisFdOKy0+e6FJY+r3IH9Usq5P7d0kODOjWMY9M+m6HTX7wfrhdpm1+E38eS38JIYqKu3f4798g==',
                    '+ZTYQ0v23wbpg3rcjbAuazJvsQk/ON1BkEG8q0EH0+ptAXyjHL8PFYv0WLjQxEoaTkE0/y2k3g==',
                    '1sPdtE2Hoi+rueSVECV6cSLikxjnIMqd6rUHd/S+YuzJhKJMggcZXmhBBVSGYvQk8NoD1jv0AZYGEKgmHph9/xwolnAsg3m4XN1hcH2rrhj2wIn5nqmHaZQoHBzQBWs+ZtY=',
                    '4rwltqnbMLL8AmBndEP4QcHL1HiTJJ4ei0hbNAjz0z1hSkpJLENSyxYmc0RJ2VnHdNb99fFxtoaylxdf6yMxB+x8aCc2KTRoiuNK9ZXVEww=',
                    'ECHv7rOJ6KOZXwBRiD/+cQJhTQpmkhtOr1xnSlmcmH/2kjEt8e35JBnveOLcfBcsDV6RjLI37qA8C1TCjPF3nJlYBwCrlbRDvev7hRV3wA==',
                    'LO+kr/JrBH7qeXLJA/mRGSFI1GpDTmu88dBowr+oXze/7dfLDvI0Ow5ZWw==',
                    'Mwsv1hx1LwiZGnL/j1/P1aBpeSOJ2zHKqmSzl7ZCguJXU3c4r4/d4WyTKHeOM7olxDymfjZAaOYyt9Hrl0cvUHNeZgBQcVAKUHRmyduKpiEpx1BgFg==',
                    'Xvoso1+LB9ttZo0rGUTwIbF0QFyN3KZLmnbf/WRBbkSm2GImbXaE/ROnkyQ=',
                    'f4mltN2IuM3SGIUySXcZ1nYn24OlJZLxdpXKzEgdyrqx/lNYrAG1t0S/ORjzBR21urWaFmVlhifswfaVYDPU+qrWDMp40COk/6Vq6AMA',
                    'mhAQ1xa3ItkPDxTo/28BPS2ZJUwcE+pOlibrT60bOXBpwvX0e4Q3tImiGBRhHkcWImx3kVgFAaUuA6QUqhnR4NeqtSQfhA/EqxC3iitVpV4tdMNMeFBm5w==',
                    'mpXwo8Yc/hyr87p03uYoV1wrVryZH/GP7Cp6WGPspVP7xlvyZjbpJvb9YUAKGEe82fnHvvR3k7/inJ5SM84WKQ==',
                    'ruUPs7djCymBAEYFweBWr6Hs6p1nSpS+9QLV0w5zheb7tGWtv5ecQAGAjeNWTwolxh23rsfn1tS6hnnh/aDir0/Kn/zoSg==',
                    'sRkL3Q49hOqg95gcOOCqquHIwSlAZKr03YWw9276yUinFk8T6l8W/olApvgBFMZiG+TMW78G1NwEl56etN01ij1q/+18mAeNaeKz+rawA7djTFXTg9eSCJCf+UdiDLPWF7E=',
                    'v+LHzL9psLXHEtK5TmNtzARWdE26Lpz+Hufdvtj5NnOGjYVT+CarH7+RI93AIPcGcjujEQnfd7HDfSceQGKaLCxR3kE/zY+XfE94U5a5WA==']}
