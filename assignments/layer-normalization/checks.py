"""Layer normalization: the checks that your notebook runs with `check("...")`.

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
import numpy as np
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

TASKS = {'normalize': {'title': 'One ruler for every row',
               'functions': ['layernorm_forward'],
               'points': 6.0,
               'hint': 'Mean and variance belong to one row: take them over the last axis and keep that '
                       'axis, so that they fit beside x. The square root covers the sum of variance and eps.',
               'beyond': 'random inputs, other values of eps, axes of length one, very large and very small '
                         'numbers, other layouts in memory'},
 'jacobian': {'title': 'The derivative of one row',
              'functions': ['layernorm_jacobian'],
              'points': 5.0,
              'hint': 'Use the quotient rule on one entry of the normalized row, with the two derivatives of '
                      'the lesson. Row j belongs to output j, and so does gain[j].',
              'beyond': 'random rows, constant, loud and quiet ones, the default eps, x and gain left alone'},
 'backward': {'title': 'The way back',
              'functions': ['layernorm_forward', 'layernorm_backward'],
              'points': 9.0,
              'hint': 'First through the gain, then through the normalization, where every term of the '
                      'Jacobian turns into a sum over the row. Gain and bias serve all rows, so each of them '
                      'hears from all rows.',
              'beyond': 'other shapes and values of eps, axes of length one, loud, quiet and constant rows, '
                        'x and gain left alone'},
 'gradient_check': {'title': 'A judge for three gradients',
                    'functions': ['check_layernorm'],
                    'points': 5.0,
                    'hint': 'One loss, three arguments: hold two of them still and let the numerical '
                            'gradient move the third. The loss has to be the one whose upstream gradient is '
                            'dout.',
                    'beyond': 'other layers, right and wrong in one entry or for some upstream gradients '
                              'only, other shapes, all arguments left alone'},
 'prenorm_block': {'title': 'The pre-norm block',
                   'functions': ['prenorm_forward', 'prenorm_backward'],
                   'points': 7.0,
                   'hint': 'Only the branch is normalized. Going back, the branch is undone in reverse '
                           'order: tanh, the matrix, the normalization; and the skip path adds what it '
                           'carried.',
                   'beyond': 'random inputs, axes of length one, large and small numbers, a cache used '
                             'twice, all arguments left alone'},
 'stack_norms': {'title': 'Two stacks, two norms',
                 'functions': ['stack_norms'],
                 'points': 5.0,
                 'hint': 'Keep one cache for each layer and come back through the layers in the opposite '
                         'order. Both kinds of stack have a forward and a backward function; what differs is '
                         'what they take and what they return.',
                 'beyond': 'random inputs and weights, other depths and shapes, the same weights more than '
                           'once, the weights left alone'},
 'drift_table': {'title': 'A table of the drift',
                 'functions': ['drift_table'],
                 'points': 3.0,
                 'hint': 'Depth N uses the first N weights of the bank that was passed in. For the text, '
                         'print repr(...) of your table and of the one in the lesson and compare them '
                         'character by character.',
                 'beyond': 'other banks and depths, depths in any order, once more or none at all, the lists '
                           'left alone'}}
SETUP = ('import matplotlib.pyplot as plt',
 ['plt', 'np', 'numerical_gradient', 'max_relative_error', 'residual_forward', 'residual_backward',
  'weight_bank', 'laid_out', 'overwrite', 'modes_after'])
MODULES = {}
GRADER = {'notebook': 'layer-normalization.ipynb',
 'cells': ['setup', 'normalize-code', 'normalize', 'jacobian-code', 'jacobian', 'backward-code', 'backward',
           'gradient_check-code', 'gradient_check', 'prenorm_block-code', 'prenorm_block', 'stack_norms-code',
           'stack_norms', 'drift_table-code', 'drift_table', 'explain_sums'],
 'files': [],
 'packages': ['numpy', 'matplotlib'],
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


LESSON_TABLE = """\
 depth N |   stream res |   stream pre |     grad res |     grad pre
--------------------------------------------------------------------
       1 |     9.061506 |     9.098291 |     8.671100 |     8.583770
       5 |    11.897869 |    10.823951 |    14.544574 |    10.801351
      10 |    13.458295 |    11.229363 |    18.981747 |    15.100745
      20 |    20.842430 |    15.302954 |    25.643279 |    36.540753
      50 |    35.373913 |    22.560219 |    48.116974 |    44.784186
     100 |    74.563938 |    37.715616 |   153.000029 |    72.572122"""

SPIKE = np.array([0.0, 0.0, 0.0, 4.0])  # mean 1 and variance 3: with eps = 1 the root is 2


def output(returned):
    out, _ = expect_tuple(returned, "out", "cache")
    return out


def require_shape(value, shape, what):
    require(np.shape(value) == shape, f"{what} should have shape {shape}, yours has {np.shape(value)}")


def along_directions(forward, backward, arguments, dout, which, name):
    """Compare one gradient with the slopes of the loss sum(dout * out) along six random directions.

    forward: function of the arguments that returns (out, cache)
    backward: function of (dout, cache) that returns (dx, dgain, dbias)
    which: the place of the moved argument among the arguments and of its gradient
    """
    _, cache = expect_tuple(forward(*arguments), "out", "cache")
    gradient = expect_tuple(backward(dout, cache), "dx", "dgain", "dbias")[which]
    require_shape(gradient, arguments[which].shape, name)
    directions = np.random.default_rng(5).standard_normal((6, *arguments[which].shape))
    slopes = []
    for direction in directions:
        losses = []
        for step in (1e-5, -1e-5):
            moved = [a + step * direction if i == which else a for i, a in enumerate(arguments)]
            losses.append(float(np.sum(dout * output(forward(*moved)))))
        slopes.append((losses[0] - losses[1]) / 2e-5)
    what = f"{name}, by the slopes of the loss along six directions"
    mine = np.array([float(np.sum(gradient * direction)) for direction in directions])
    inputs = {"dout": np.array([float(np.sum(dout * direction)) for direction in directions])} if which == 0 else {}
    assert_close(mine, np.array(slopes), what=what, rtol=1e-4, inputs=inputs)


# --- normalize ---


@task("normalize")
def test_forward_by_hand(student):
    """x = [[1, 3], [10, 20]] with eps = 0, then with a gain and a bias."""
    x = np.array([[1.0, 3.0], [10.0, 20.0]])
    out = output(student.layernorm_forward(x, np.ones(2), np.zeros(2), 0.0))
    assert_close(out, np.array([[-1.0, 1.0], [-1.0, 1.0]]), what="out", axes="BC")
    out = output(student.layernorm_forward(x, np.array([10.0, 100.0]), np.array([1.0, 2.0]), 0.0))
    assert_close(out, np.array([[-9.0, 102.0], [-9.0, 102.0]]), what="out with gain and bias", axes="BC")


@task("normalize")
def test_forward_eps_by_hand(student):
    """x = [0, 0, 0, 4] with eps = 1."""
    out = output(student.layernorm_forward(SPIKE, np.ones(4), np.zeros(4), 1.0))
    assert_close(out, np.array([-0.5, -0.5, -0.5, 1.5]), what="out", axes="C")


@task("normalize")
def test_forward_constant_row(student):
    """A constant row: out must be the bias."""
    x, bias = np.array([[2.0, 2.0, 2.0, 2.0], [0.0, 1.0, 0.0, 1.0]]), np.array([1.0, 2.0, 3.0, 4.0])
    out = output(student.layernorm_forward(x, np.ones(4), bias))
    require_shape(out, (2, 4), "out")
    assert_close(out[0], bias, what="out for the constant row", axes="C")


@task("normalize")
def test_forward_rows_apart(student):
    """A batch of sequences gives for each row what the row gives alone."""
    rng = np.random.default_rng(1)
    x, (gain, bias) = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 4))
    out = output(student.layernorm_forward(x, gain, bias))
    require_shape(out, (2, 3, 4), "out")
    for b, t in np.ndindex(2, 3):
        assert_close(
            output(student.layernorm_forward(x[b, t], gain, bias)), out[b, t], what="out for one row", axes="C"
        )


@task("normalize")
def test_forward_leaves_arguments_alone(student):
    """Whether x, gain and bias are the same after the call."""
    values = np.array([[1.0, 3.0, 5.0]]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    kept = [student.put(value) for value in values]
    student.layernorm_forward(*kept)
    for name, value, handle in zip(("x", "gain", "bias"), values, kept):
        assert_unchanged(student.get(handle), value, what=name)


# --- jacobian ---


@task("jacobian")
def test_jacobian_by_hand(student):
    """x = [0, 0, 0, 4] with eps = 1 and the gains 32, 32, 32 and 64."""
    J = student.layernorm_jacobian(SPIKE, np.array([32.0, 32.0, 32.0, 64.0]), 1.0)
    rows = [[11, -5, -5, -1], [-5, 11, -5, -1], [-5, -5, 11, -1], [-2, -2, -2, 6]]
    assert_close(J, np.array(rows, dtype=float), what="the Jacobian")


@task("jacobian")
def test_jacobian_is_blind_for_a_lift(student):
    """The product with a vector of ones: a lifted row has the same output."""
    rng = np.random.default_rng(2)
    J = student.layernorm_jacobian(rng.standard_normal(5), rng.standard_normal(5))
    require_shape(J, (5, 5), "the Jacobian")
    # What is left is rounding: this rtol lets an entry be 1e-9 away from zero.
    assert_close(J @ np.ones(5), np.zeros(5), what="the Jacobian times ones", rtol=1e-4)


@task("jacobian")
def test_jacobian_slopes(student):
    """Each column against the slopes of your own forward pass."""
    rng = np.random.default_rng(3)
    x, gain = rng.standard_normal((2, 5))
    J = student.layernorm_jacobian(x, gain)
    require_shape(J, (5, 5), "the Jacobian")
    for i in range(5):
        step = np.zeros(5)
        step[i] = 1e-5
        ends = [output(student.layernorm_forward(x + s, gain, np.zeros(5))) for s in (step, -step)]
        assert_close(J[:, i], (ends[0] - ends[1]) / 2e-5, what=f"column {i} of the Jacobian", rtol=1e-4)


# --- backward ---


@task("backward")
def test_backward_by_hand(student):
    """x = [0, 0, 0, 4] with eps = 1 and the upstream gradient [1, 0, 0, 0], with and without gain."""
    for gain, dx in ((1.0, [11.0, -5.0, -5.0, -1.0]), (-3.0, [-33.0, 15.0, 15.0, 3.0])):
        _, cache = expect_tuple(student.layernorm_forward(SPIKE, gain * np.ones(4), np.zeros(4), 1.0), "out", "cache")
        gradients = student.layernorm_backward(np.array([1.0, 0.0, 0.0, 0.0]), cache)
        mine, dgain, dbias = expect_tuple(gradients, "dx", "dgain", "dbias")
        assert_close(mine, np.array(dx) / 32, what=f"dx for gains of {gain:g}", axes="C")
        assert_close(dgain, np.array([-0.5, 0.0, 0.0, 0.0]), what="dgain", axes="C")
        assert_close(dbias, np.array([1.0, 0.0, 0.0, 0.0]), what="dbias", axes="C")


@task("backward")
def test_backward_shapes(student):
    """The shapes of the three gradients, for none, one, two and three axes before the channels."""
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 2, 3, 4)):
        x = np.arange(float(np.prod(shape))).reshape(shape) ** 2
        _, cache = expect_tuple(student.layernorm_forward(x, np.ones(4), np.zeros(4)), "out", "cache")
        gradients = expect_tuple(student.layernorm_backward(np.ones(shape), cache), "dx", "dgain", "dbias")
        for name, gradient, wanted in zip(("dx", "dgain", "dbias"), gradients, (shape, (4,), (4,))):
            require_shape(gradient, wanted, f"{name} for x of shape {shape}")


@task("backward")
def test_backward_row_sums(student):
    """The sum of dx over each row, for a random upstream gradient."""
    rng = np.random.default_rng(4)
    x, dout = rng.standard_normal((2, 3, 5))
    gain, bias = rng.standard_normal((2, 5))
    _, cache = expect_tuple(student.layernorm_forward(x, gain, bias), "out", "cache")
    dx, _, _ = expect_tuple(student.layernorm_backward(dout, cache), "dx", "dgain", "dbias")
    require_shape(dx, (3, 5), "dx")
    # What is left is rounding: this rtol lets a sum be 1e-9 away from zero.
    assert_close(dx.sum(axis=-1), np.zeros(3), what="the sum of dx over each row", rtol=1e-4)


@task("backward")
def test_backward_slopes(student):
    """All three gradients against the slopes of the loss along random directions."""
    rng = np.random.default_rng(6)
    for shape in ((3, 5), (2, 3, 5)):
        arguments = (rng.standard_normal(shape), *rng.standard_normal((2, 5)))
        dout = rng.standard_normal(shape)
        for which, name in enumerate(("dx", "dgain", "dbias")):
            along_directions(student.layernorm_forward, student.layernorm_backward, arguments, dout, which, name)


@task("backward")
def test_backward_twice(student):
    """Two forward passes before the backward pass of the first; dout must be the same after it."""
    gain, bias = np.full(4, 2.0), np.zeros(4)
    _, cache = expect_tuple(student.layernorm_forward(SPIKE, gain, bias, 1.0), "out", "cache")
    student.layernorm_forward(np.array([1.0, 2.0, 3.0, 5.0]), 7 * gain, bias)
    dout = student.put(np.array([1.0, 0.0, 0.0, 0.0]))
    dx, _, _ = expect_tuple(student.layernorm_backward(dout, cache), "dx", "dgain", "dbias")
    assert_close(dx, np.array([11.0, -5.0, -5.0, -1.0]) / 16, what="dx of the first pass")
    assert_unchanged(student.get(dout), np.array([1.0, 0.0, 0.0, 0.0]), what="dout")


# --- gradient_check ---

ERRORS = ("error_x", "error_gain", "error_bias")


def linear_layer(factors):
    """The layer gain * x + bias, whose three gradients are returned times the three factors."""

    def forward(x, gain, bias):
        return gain * x + bias, (x, gain)

    def backward(dout, cache):
        x, gain = cache
        return factors[0] * dout * gain, factors[1] * (dout * x).sum(axis=0), factors[2] * dout.sum(axis=0)

    return forward, backward


def linear_trial(student, factors):
    x, dout = np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([[1.0, -2.0], [0.5, 3.0]])
    errors = student.check_layernorm(*linear_layer(factors), x, np.array([2.0, -1.0]), np.array([0.5, 4.0]), dout)
    return expect_tuple(errors, *ERRORS)


@task("gradient_check")
def test_judge_acquits(student):
    """A small layer, gain * x + bias, with the right gradients."""
    for name, error in zip(ERRORS, linear_trial(student, (1.0, 1.0, 1.0))):
        # This rtol lets a number be 1e-4 away from zero.
        assert_close(error, 0.0, what=name, rtol=10.0)


@task("gradient_check")
def test_judge_convicts(student):
    """The same layer with one gradient after the other three times too large: an error of one half."""
    for guilty in range(3):
        factors = [3.0 if place == guilty else 1.0 for place in range(3)]
        for place, (name, error) in enumerate(zip(ERRORS, linear_trial(student, factors))):
            wrong = place == guilty
            assert_close(error, 0.5 if wrong else 0.0, what=name, rtol=1e-4 if wrong else 10.0)


# --- prenorm_block ---


@task("prenorm_block")
def test_block_of_zero_weights(student):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, dout = np.array([[0.3, -0.1, 2.0, 0.7]]), np.array([[2.0, 0.7, -0.1, 0.3]])
    result = student.prenorm_forward(x, np.zeros((4, 4)), np.ones(4), np.zeros(4))
    out, cache = expect_tuple(result, "out", "cache")
    assert_exact(out, x, what="out", axes="BC")
    dx, _, _ = expect_tuple(student.prenorm_backward(dout, cache), "dx", "dgain", "dbias")
    assert_exact(dx, dout, what="dx", axes="BC")


@task("prenorm_block")
def test_block_of_one_bias(student):
    """All gains zero: the branch reads nothing but the bias, tanh from a pocket calculator."""
    x, bias = np.array([[5.0, -1.0, 0.0, 2.0]]), np.array([1.0, 0.0, 0.0, 0.0])
    W = np.array([[0.5, -1.0, 0.0, 2.0]] + [[9.0, 9.0, 9.0, 9.0]] * 3)
    out = output(student.prenorm_forward(x, W, np.zeros(4), bias))
    assert_close(out - x, np.array([[0.46211716, -0.76159416, 0.0, 0.96402758]]), what="out - x", rtol=1e-6)


@task("prenorm_block")
def test_block_of_a_lifted_stream(student):
    """An input that is lifted by 2: the output is lifted by 2 as well."""
    rng = np.random.default_rng(8)
    x, W, (gain, bias) = rng.standard_normal((3, 5)), rng.standard_normal((5, 5)), rng.standard_normal((2, 5))
    out = output(student.prenorm_forward(x, W, gain, bias))
    require_shape(out, (3, 5), "out")
    assert_close(
        output(student.prenorm_forward(x + 2, W, gain, bias)), out + 2, what="out for the lifted input", axes="BC"
    )


@task("prenorm_block")
def test_block_slopes(student):
    """All three gradients against the slopes of the loss along random directions."""
    rng = np.random.default_rng(9)
    W = rng.standard_normal((5, 5)) / np.sqrt(5)
    for shape in ((3, 5), (2, 3, 5)):
        arguments = (rng.standard_normal(shape), *rng.standard_normal((2, 5)))
        dout = rng.standard_normal(shape)
        for which, name in enumerate(("dx", "dgain", "dbias")):
            along_directions(
                lambda x, gain, bias: student.prenorm_forward(x, W, gain, bias),
                student.prenorm_backward,
                arguments,
                dout,
                which,
                name,
            )


# --- stack_norms ---


def norms(student, x, Ws, prenorm):
    return expect_tuple(student.stack_norms(x, Ws, prenorm), "stream", "gradient")


@task("stack_norms")
def test_stack_of_silence(student):
    """x = [[3, 4, 0, 0]] under no layers, and under layers whose weights are all zero."""
    for prenorm in (False, True):
        for Ws in ([], [np.zeros((4, 4))] * 3):
            stream, gradient = norms(student, np.array([[3.0, 4.0, 0.0, 0.0]]), Ws, prenorm)
            assert_close(stream, 5.0, what="the norm of the stream")
            assert_close(gradient, 2.0, what="the norm of the gradient")


@task("stack_norms")
def test_stack_of_small_multiples(student):
    """Plain residual layers whose weights are small multiples of the identity."""
    Ws = [factor * np.eye(4) for factor in (1e-5, 2e-5, 3e-5)]
    stream, gradient = norms(student, np.array([[3.0, 4.0, 0.0, 0.0]]), Ws, False)
    factor = 1.00001 * 1.00002 * 1.00003
    assert_close(stream, 5 * factor, what="the norm of the stream", rtol=1e-7)
    assert_close(gradient, 2 * factor, what="the norm of the gradient", rtol=1e-7)


@task("stack_norms")
def test_stack_keeps_the_row_sums(student):
    """The norm of the gradient under pre-norm layers, which cannot be less than at the top."""
    rng = np.random.default_rng(10)
    x = rng.standard_normal((3, 4))
    for scale in (-0.5, 0.5, 2.0):
        _, gradient = norms(student, x, [scale * np.eye(4), scale * rng.standard_normal((4, 4))], True)
        require(np.shape(gradient) == (), "the norm of the gradient should be a number")
        require(gradient > np.sqrt(12.0) - 1e-9, "no weights can make it less than the norm of all ones")


@task("stack_norms")
def test_stack_repeats_itself(student):
    """The same measurement twice, and whether x is the same afterwards."""
    x = np.array([[3.0, 4.0, 0.0, 1.0]])
    kept = student.put(x)
    Ws = [np.diag([1.0, 0.5, -0.5, 0.2]), np.diag([0.1, -1.0, 0.7, 0.2])]
    first = norms(student, kept, Ws, True)
    second = norms(student, kept, Ws, True)
    for name, one, other in zip(("stream", "gradient"), first, second):
        require(np.shape(one) == (), f"the norm of the {name} should be a number")
        assert_close(other, float(one), what=f"the norm of the {name}, measured again")
    assert_unchanged(student.get(kept), x, what="x")


# --- drift_table ---


@task("drift_table")
def test_table_of_the_lesson(student):
    """The table shown in the lesson, byte for byte."""
    np.random.seed(42)
    Ws = [np.random.randn(16, 16) * (0.5 / np.sqrt(16)) for _ in range(100)]
    assert_text(student.drift_table(Ws, [1, 5, 10, 20, 50, 100]), LESSON_TABLE, what="the table")


@task("drift_table")
def test_table_of_a_silent_bank(student):
    """Rows for a bank of zeros: what can be known without measuring."""
    table = student.drift_table([np.zeros((16, 16))] * 3, [3, 2])
    require(type(table) is str, "the table should be a string")
    numbers = " |     8.483582 |     8.483582 |     8.000000 |     8.000000"
    assert_text("\n".join(table.split("\n")[2:]), f"       3{numbers}\n       2{numbers}", what="the rows")


if __name__ == "__main__":
    sys.exit(hand_in_trial(sys.argv[1:]))


# Questions that belong to known mistakes. Only the results of such a mistake open its question.
SEALED = {'backward': ['+SXDbzlUXO71ySEkjOx8p7SKizW2ayl4SeGK7dHEJK22EUXVB7GEjAKuuJ7Sb92nGqZyxcn+I3OUkqN9EJkOHlXN',
              '+rLPTw56q8WuJhhcc8iXKPhXEB+6z727cUzv/26/yslF+v34G9CxnhzETjaoHbvaB4+cOeQyfZnR',
              '/uU3wDz9JxOaEsb9NTMlrVoxpLnVUNJnyKx8gKmsaafRfyumlf4L1MOWUPTd7NcQclRRtMeghmQFL5BoPm9GIUmCnsA4uUdzeCXFvj9UzHvCRiOyPfjbKMQQ1F8J91U3aEItmMwkcHdyLrl5hCGh/eC15LDgg3Q=',
              '22K+qm6Ie7z9UwD9AvkYeLwLZmGu4+vTt36ioPFk8SiBFqTW+KO8l80r+JPQANUNvAaaSRhri1vu46kP',
              '4ZYVzK/RL+5slu96RdOsea57y5wzz7DGPqUhfVhgF+j1MyzxWoKLkwhVOz5o',
              '5f17bmizlgHnI+QuCg8PBDMFTxh8lvOmeFuA7ZXq220tB/3kGKK48kMotwx67qGKhzNEoSyRkP+i3jiJ28HuEuBA',
              '7tzH4ouG0JBJt7yDCG7cn4b8GzcaylB2rlcuqpLZeTsTuXW1x/PJKsbKfXLaRpKZCxohEac3fypvWO4h',
              '8c8SiJNNJxM4ymJubDbPcIFeuppHhbQMS00MZw8ppibzt+JRA8cwLx1D6kC1ZjAx83sEkfDVWwe73Fd1UxO3Ifid1DpY9Eh/fmqf+q3EbD24JyCg',
              'AtfM+iRJjwVAyZBAXvSfPTqzvMeuNytGW51+18KjDKWV3Skaga1KL7Jcjf49EfOFMSdqNED2GEFh5xk8t3+0RAqtnrJWidhv7Lrf9F7qzgUp2mOgSzKBe3QiczROWH4=',
              'B4Gv1eVjpmgj7unq924x70z7jZXHsALHFvcSdJU87zTkRB1PLmU+dVMmVmOu+Do5iqzGqJnWhdBV/a15EB8PJcl3kWIjP2DGMI+OFO21YiLA7wIJrko2',
              'BOd5TWIF+8Jxul6CSfBoaQnbvKf9N0uytcyRf55/K79wNXwDQK2LyP3ur4AFdgVnNHVTMK3Uzdof1NbWvyEhogk=',
              'FdeXenh/4zirqACCPkIy7uLwlUF+bUa5F0bWDTALjdeM3OuoNUFOQY0tHoXYFPj6A1ZdD8Tpgw==',
              'HGXbNTNvy05BxTvh8jByZwLZaumOkFwodOZa60+wn5skJH3AsKiBeK1SzgqUAn01HBvJicZu4yAa',
              'HNmTa7xrLaPAZVAM7y7Rg8ZwOMKOBPKz/Lc/WjsZ83zFL9dPOb+4IXqE6J2pNbULttzvF1dEqwe5THb46B9VhwWDXXD/5GgtHmpxiRlNnQ==',
              'Kk5xZH9qxMmSn5HETaT9MAyfhsYvB8NgYdrP3BdRqmkTK3myOaQ5P4Jud7Qp1n5ojVPn79/xDxwS+z1/HYjWKAF9oSeOxMBqkk05lg==',
              'QYvEqWe7KH0af3A2VwWe1IAlLqUQg6t2wLaM8QxLaQiZOx3uBulIsAE/z1VkgMQcY1xaRYM9',
              'Qfka2+L7dl0dv36wPNzzN5iye2E8RyXr7oouTmNGKgKhv/Cp9qx0MXwjQoWpzbjU5hMDmJHucw7Sb1TAxpFlYYRdFnbwKQ==',
              'Qy0opwuasg+zrn2SKmDbYTMQZTDakeMBqMAn0irQnIyJKUANalADUpvpS5M1jklmEjaJxg==',
              'S1uTJUebzUr99Zi3xO6Vv/bC1gB3vsg0D8LGnA5JjMoB4AFcuWQgRUr81EXL+yfkw4vWz1K2q9DbBrlFT6d0zQ==',
              'aNdbMPK2hSR8sQDmSzAjhWEdrz0+czlYBt4aw81uDV4G49FSkCBrp9gknohCPg8bDhqDpgHL63Cf',
              'acvpoQ1sOb1R6sxLWo7H9tDUB9AOnk3cNEreHYXHYaM1GPSn6MLNtvthWXbqVqBAs7ZRTuOlFRIF4Icp3CPY4dxw2DV628fbLel9fQ==',
              'iRByR4ltr5DedDvyxBmh5KY/vWr9vqxT+BWbsnOu7nMabiG2aJ0ZoYYnxF79IBrXX7vzYlu3F2hHIzNq26RBplYmQ5ARObAj5jsLkjG4pks8/D1FvSbX7NDF',
              'ieAC4QqPi+Tu6oW3QWa8XK50zAWUbL9+q0BmFh2RnzVO7BNKKMoiFgU7rnxEMohn/VYC2i10N+i+7gBP9+1sho5YyWXLtcuWlMx1vsVvh6E=',
              'jUUGyPxp0j3vHgAaEqQvhT1EVzkqMxm65OlWwsKq3NghdCvwdJInu0Sc8HwCCXrWi51aBFzew1cp1sAHcJ2N4vLr4+fMmF8L',
              'ndVVG96Yri/TmATVMhIrMxm8ikcVmbvBsc5LlA4WPokrGPips6EntkIYMlNDsw5NB49KSDo9Wdi6f+OCov9Oo3KA4/hkQX0aZDKWK3OP71elEf1s31l61q5A2uY=',
              'rI+TrnUc2sBKkYkxqc2JUOef8jJYLr/RtpRXkca0ZuSQsHfL4S6nkRr8ZE2mzK1jTnxIuRFTb4x/9svcX72AUqQTLw==',
              'rUIhuv0Wl3g5Pmz6+Ibwjcvu8MAyKAZZA61i/QKOfW2zJQdqHnkoQ/XQbJBSsQiJUOYq0S2rb51uPzxyzovaCUCm70zxSjmMxmMjr9d7FC0TOy7x',
              'uGHbaY9cd5uZLsgCs1xjIx1lT3MB3kNtwxmaCUJozVTDD78bdqyxsaFxhRWRGqskIcTGyWGIT63QLQ==',
              'uvkk07NotWKYMxqt95fh73lXxn+G3qiTYRAiv2Bpc5f0fADbsYbu2Lv36REyXQwKcC/wSe0O1Fn8nV4AW33Plw==',
              'vV3/B6LnLWF9aIxi+7RkJiuQ8/MRAPG3BYrqbNRym9g48vkjNx4lZq70ODkuWYjjWI+ekJoefS/WHN/HQsEkvBub5yo=',
              'xmyhBdW21OkDCs8B4AyhZw7kcBSGrNglKkP3bqSY+8JsClqt0GOCIYqDM3flyh+mCUmhmOwiodB/+9l7B4K17AjysO33no7bN3z1YPFeHMysNeWZNluT86k3kZvBtCw='],
 'drift_table': ['+I0WZ2KwgS8Jqq3tI/2p3ZuBaXO45V6bR5ofoW3jW6wdS14hyDB0bPvggCUWC2n5Nt13ulpg8prt',
                 '1nTzcxVAxrRtDYRBveT/hg6YMiGo9G0Uhb1scmHZVRzQFwUtCmhnG+BL18oSIMTL1xYD6gljPeJZbGp7YRk/AA==',
                 '2ENTGUwUNt7GfoT29a1tNC7X3dzAX84UOs6tuxsjG9T2y37dL/e5Q0CLk/R2SxGzI9yJUELeD9c6lim/ZM1zAw==',
                 '2VVzMLKpPiK76GKkb5qcsKWkJmKEh/rxKdmlc8oUBlvNetsRG52UGyqTX6b1uriQ542XbI9X5VJ9Bm69bFDjXZI=',
                 '2uVke84xhXCPPuu9/hx4xld+X3n78YxA4UYqrKkyFU7DD1h1emeFMS0VY7/hG+Utsk8o75CfsQsEO3XdeFl4AEp4ct2V1RJodQP5aA==',
                 '3eqAHIuNO8feqeB2nQ7xrGtcJn8lMmrkChyHteECmO/K9BAGA3P2EhiulQznQju+AcM8lK8IZjsh+LA=',
                 '6fKJqm5BS7tZEcJIoYiYZGLUKitibb3T+FP5NjrdqlTemZUlS+S/4+Y=',
                 '6xAIX7/mbDXlTWYPEx2m8h3/AXJdeQjtfhrlA+BQEBjsTk9YVGjg5GXEudXq1ubWqyr8LCIHfomwXD69',
                 '978y45f5TbONjSWOvLQdi9lAGwi8JOToeRrLc0l4eGsrdIa+1fD/bp1e5IoxeSKFhXVbwL7YaO4hbFm8Qd+gkUAf',
                 'BNDy6PWgZRIWMauQR1kOrjRS7rLaKw6yYP21lOWbJy2o8utOT+QRM+4NCW4qAg==',
                 'Bf8xHQcGZrjpn4clQpk71WHMfE+ALxI1mBwceg4449eqZAaBGxJqTHK8+d14K4dYGwoDXMDEhdKmnLXhrlGQAuE2SYka',
                 'C7IBQz7B4YRCogvHe5ihEUBLa5P1figqj+KxZh3vKor2jST08GacXAjP3fyiyNxR7RN2u2H0NTz4a3/t',
                 'D3ZsasxveCCNX5RFaSJsZx5IwZ7HPUz+7A9T1aJxntdz9SJ4rRHqWBhhDFlcOipbdJlOtLtc9Po592R6LT4cl8tsn3EPJGcN',
                 'DmVqw3mce8IIvj7cIy9XeftdVtZyHNkdkOkt1Wr8m/1A0i784h49nyTct+K5TfnWb4f4sA==',
                 'DwKcX43vgWNxJNIbghb+4ooUY/IDJ+9cOLyXUgwojozsNjCGXLpunw55sPoO6Vi3om1L6RL1AUcD5/KF1/GrsM2FvqSN/3v7AAf5jRp/m1qJcg==',
                 'IKkoP0+s3NtO6zaoq+joPHpx0Nu7ySP6KDEr71zAEemonoKpU6x0JwnVw096MYNxt0xES+tmNITsyt61uquuKPo/FLUqu4Qa9tdXV/wzF/6njRvvxnkCCeP5MlbIwybZFSYHxBohcTAvRWiueWAtbYsfhyvm5dg=',
                 'KRl3pMDDbu6hDp+86q6Eq4Brkwp8hTfO8rqBXTdKfd/IH/WYc7LWLa5JEoHC17VI41wZggU=',
                 'L2Ai+MzjmX4+n+LYcCKXUKzFmlpW9/Wnxjlh0O2/T+GInYqw8k32OppzLA==',
                 'OT3Q/8asLAhawqD1Jj16YI9LFMWm0DNpM8ZCGf2jhnLmXklDDcRu93MtvnAtSTg75RyBD8V/bgUvmNIQLkDJsDLPT+eRjldIgh73Ww==',
                 'OjcO8kbBT1n0A07IvSiJREbJXHRSCwBKEUvr+pJCICMJd22ADaQkkYSgd4BtI1n7q68O',
                 'PJWdDwvors7LuH1Q4ImL5ovgtAJ/a3++A/tsXcyMHWtRenZKfagx1HYVelt5vBi1JnBYndJ11w==',
                 'TV3b7q0uzXdL3QZa4cv94Z11zXbYwofq/7uZ/B2BEGOfEkfvNYNTPyyqGWtXWkGHl+gOMJPWnswsrm7JXlZ660Wc8zzKhggiSf6oItsg',
                 'ZhqkrE/lGFsnG5OTDSlYKAonyA8plVgaoOKMey3nG42Jfa+LYzMrwz1mQNyLJQgdZGoKtYAf1DjS',
                 'anSk9jcKNWECsbnBae9h3paHl2JdcaQYLpEOsqYPGn90iIYczgqKWtn3M2Ma7z3VAioBZQ8=',
                 'bxtkdhZ/pstfSMSetgGGbIKeFX7vxJoPAdHwscZohq6tSOuQa3E+BPVJUFndpkJUm7xSfLjNDfmEgGSwKY7TzbewAtezEB/+GOKpsDRgugS/',
                 'dngwIrZjC3XXZ9vahcEpAS6nNhmTFqVfBehnh4iae9NbS0PMxbjz60guNjJCwCVTsFds1WlXPWMMLsSrP1pvJqoOqCU=',
                 'ef57OTJHSZUTQwyzK5RhSJMj0FpI0h0+0kVmAdeI9Ts2tyauq1DXun0OnAOHTaHx4loaFV7/gv/CBhTcZqlXUnouAavW5hSif+CE5BPFFb2f6BRBdvTCrq6zWOM9zEEOZz4GD0NF1g==',
                 'fEwl6i3+18Hw/yBhUkfn1NQgqaDlEPLJ4ZFNx5afI3fjhN9vrnjclBDlQkWzGW5CrCOInc5b',
                 'fphFmh4F+jTdJs1ez6m4mp92PwENyGFAkfJvLsCVNJ76ztvZmF/lr2MyQSOIsQ==',
                 'hEh36TrsprItgSAJUcaaXrS2UhOIwpdfT6zKugGWe1N3wsBcCfb/tBcRWh95pMxqfiuB7FfSJdQfpzo=',
                 'iGQEqzM0L5K2+vRiDE70cHVZda+Ic6YVRjw1hVrFclR6JJ9XwEn7/t6FAlvCZqlJefFm9BZTHrRNIqEudhbF04WVJqP1TNSmRR3q5A==',
                 'ibYVF0RqzsXtjN4Szhh6I2Fs7X3vEc2awLtf/BBuqYJ+6+cNTF1VgWzX5pNyHAR3rZ8jgOrx5xocU4FcSu0OA4EKQaHk5VNr4TRhlKq9G+lyaBrgzJMain7j2EFYIls=',
                 'jAJLGqQeJMlzNymO9cpsLSCDa+feIPBATSa+3QULEsbftSEA7Eh0dvHO25BK',
                 'kgeAMLUhbng4bjWPraNjXc0lax7iCvnvGq3Awf26IsG8ubuEVWeLXhLIDpTLFNqCVzL0up7fMh8da2/Gv/R01ADGRQ==',
                 'lMvp8fjizMe5Px8cyIT7WsdrHbfEmPjGzz3k1ogofMk953O8z+N4384QnRDpkCTl3+XSxiBGpqXd9D7K/nwwDMVdaPciYC7zZb0=',
                 'lgMn0H8D/Ct+aGh41Snur/P95mQQ09WFILv5zHPUS9IHJm5LknqPSz4=',
                 'lnVh90sXfIIDsPpuBI1ovJlDFNaYZ+uTbQjuSNqrPL9VS8gcUtwrwC+ki4BvTJTHbR/RR3mK8mAEWt8986eXPIzsk1iM2TTVAGjAakBkNctHE2paBt8+FeZZDMI=',
                 'nKw1p1zrsr7qYGVnH6+89/h4TiV6Iz8xO081UQT4AGigs/UiOGxcgk6UInb25FTvCEADGEcGKvtwTaNSZVlOrToMjyZjnA==',
                 'ocsb+ePtMS9IPRZm7laVEgC7Yf0xHJDbEfbkIqvShdLxlOUjXb8irXUsxGgtL7BKJABrUKHPbthrBD06imNSZ8Oo48UQcHcyELl/kZqL91ys96NkS0D0lLGr/Nk=',
                 'q0EGP5Z5voxQQ5LQN34rJezj/yV+CwcBwQeLV71eeBXEeCSaBn5RqUNoazEnTd5CqoFoQo2yMshOkE9ykXmnuVc=',
                 'qMg+9bWi+cSUyZrcHogwse9ikIGHWm7GTk7H1KWt/qMYZuKyfB8HHEXbMwKd8HVMDTpel71JCjsyrH24p16IqL5RmBU=',
                 'qQF4H2MhNU0YbD3mxagYPdZWvbb1dx2C95awiKv5BKE0ySbjrvmSizFdChu6RJ0Zw6iFFbTLXhec',
                 'rF02WLsZE5BuvLfrsHjmqXrhafiiLHWMhzqynejJ/aAdie2MK5BJss/lpsL8DQ==',
                 's2NcZ56wRd3TLdRoFLyS9GqtZWOXUUXP1uU98TBKMyt4iOftax+487gY+SAmPmv2E5DVkwg9esuZ2KrcGdBg8DlbTeg=',
                 'tMrF6YEIAG1wZyNl9TUyaTv5O04VG/MZWJnKOM9cqwn9XCYEG72RrgkhfO0xyNoB3PLpGwqIgag=',
                 'uHH7ovaby0r0VPx6Zjn4I8/mK8H6WgBlsgQEoLSMn6q/Y6ysbWbLs09eHoZgDMJkeb4+SBgSRXZ51dwRy1dV4EW0KA==',
                 'wAR3Sqg4LLjljJKeMRwVAZZVgoCK1kwNIUa891CqnCY3qQQ1Hj73XizhiPop8LfITH4Y5A/rt9+gB6SAhXIyjVDH',
                 'wenPSxpZAbLTHwyS4eKItQvtX/dYtu2sUGXw2idGu2cEXmruch/Cp+KWHQwJT3el8X8cot1Wf9bv0CNFSVG2dcQ=',
                 'wsNA6VojCZWF1lyHCEcmdqD4m/ujyngAZVEPZE4gd+Lyqwd3x+7yGS53OsIJbgzBsxeqevxZ/0NySPS54d0RezJvSA==',
                 'xvuyEIBqiZHE7FKBVtN413y5X/evY7jFFKIRykZ1oEZQI/4WeEiwfcdw/IimXyrxYywSqZgB6uDl+WGKmAI=',
                 'y50Pu8edu82KT/88HXOt7Yo5RYYOqzAkfGHAA1fVncfN5EY1FB/GvwgKP3PEzTgoA7N+rN/5idgsrZVKd1mJeyF7t6qwXpozb4TSDmXtRVA=',
                 'yEXNm3WMWXX8B+OUja//K3T32iWuqUKI0KkF/AVVnJXW4a1jX4ARQCII+a//l8WI5MzW2hHGRCcSeAN/WU1c0aMVlecfBkhnMaASKq99QAqsy5hM36SDLBRtub0JXBrez9KzjrA=',
                 'z/4LODpfrAm4NJH3knToXUtdA5YTd3IEG7MtNjSzsZAE4vnGGQ5u0zfAmrOJeIjUcm9C+uiJxE9RXu+/IXzkzePxWZmJeruA8Q==',
                 'zHI1JXuomuoGaPe0Wd5e8ml1s1902xOmLJslEJ7F08/HHzp5',
                 'zyYEX/99dpbG5ASo8WSLK6QbA1n8Y+5w03VfU3CZSz22jMrO7Boo0eIDdocHXxCzJXyqZ2zVErQNdW4F'],
 'gradient_check': ['KDPz6+p0EQIAKjSehlY5/7giONZvlikX0IsZ7IRNnUZKF6z69HgjtoegHlLdhxOCibXQRNzOFCMBrKJnfTG7XlxtrePKKrSwt+3loC5xUx3kIJQvHVRmCuI9/g==',
                    'KtEgNiBtDNpuOyYfaruibSUF27M4TDeLlELgR7VhfcxE2YZpGOPpMislYj3WkWP8bLN7XGG3CZtzn9nbfeIatoAVPlCW2rKfpS4zz0ySSQ==',
                    'LBsgsphP7GhLh7ReL1f2OFvRNBBc3H2gbhSxIzuJC99H2uPRwKo3vL07+Lr5yzO7EBxy85Sf6mYZf31COnjspg==',
                    'LyO0uvZzCDDCTkpUcq9Q2i/AA1anDhFWzo9WgVWkKusqPBXea2Cz98/C78ams3k7kfBi3qWTYw==',
                    'NdiDdbn8o31KRxBy95HR+r2bjRExEeQDY06xSvm2G0vHatxjSA4i4bi5RtA/VA==',
                    'yfzgiHHiUPLPviYovLqC7Oev80+vx/8owQ8SWhFlIoEKIvfMhAirI086+MsBrMrqPDhRQc/xLpWG3arK25ux7aEyzAlf67M='],
 'jacobian': ['EwQZPak77+HUuxNHyWRCI0JKRW+oVBz/SDhO9EVd0Ywvwjt6PlCXAh7ZcuJ5x5gHdIp9KltSc4hs/pRsNkWlL3O5IvNioQwWFH6Ud+My',
              'HDeuihqQyqdEo6XIghOp6JV/kEzBEjjWWpcH17/i13mMhfTUHlj9FgilxfNgiY2kJls9sWos2ETHgdKgOsrGId18SQslSzkAMyUY3Fo=',
              'NY2LB/EUg1hLB4ZLLXEIMObnVft+wcPbrljo+6ufuYqjnicUZhCnQzv+WnHyq3yn1pMPFdw8dJt9EKC18d6Syw==',
              'arFesb647IFEqI0Isexf38LsxYmWvQ4uQgfufqO/iLHapTG/QWlYVLPCaxyLANKPLl42w4p+V2svAmyTd0q5UNxyecBsChQVgrg+dsp4BhJPkHDPkRx5fKzoB5vUM64HWgJG',
              'flbn7bXjoHY2jOMIw2lorVGYY3faCiB2hwE5FIEz0VTPDJwxHuQwK/vXd/OjjTVtZgLxYwx+zFIYaOkmNburyoMK2xY=',
              'kjAuwPr/iCSshSJ7lWn4BFVSvGRFRTFspcvnoKBaX37u4ooXc/S/XkP0GpxbWWn+SUuOj7CrztMfKS7Qg8k+z9Vv5Q==',
              'pm1yv3zAfVZVHa1p24ww7VmaOkF5O0jD3/I0brUDvmPnmgh3hCcOCL6zftLKKJHG3lT62nB0qIfbaHaLZ+fkGOCqVg==',
              'ulUPVxQXkPutfhYzh0s9Wh/knQ1t53DZw9BdVgdQ5GRZvvwCS4JEO7wRwWIZIdyOS8cTSMHinHb46kkKNMxFndF2ibvAkVy5oSSU6p29lVhhCuy8'],
 'normalize': ['/swkqPk8eppDlZ6junqLbu6Z6MyBgxPUdd/FQOpW82u/xzyDuXx6j3wk5pgzBIR4m0k=',
               '2KEjXXcy2+EjhfCx2AdnOC12a4bwbfF5Kgd6/3mw9kXYcObIJFQC3uJ+TGTFq1BxSaFXG3HvG3QiyET9n3utYg==',
               '2bMtmsdWv2+33zbSqvg+W4tOlidINFW1R+USdUcNgmNzSp6Q9myNGyiEob35+7+p0ZFiWDKHr7bBl+iGer838WM5VjcrH3tvICgdCxcPZHo=',
               '4XIRVZuZZSA9iBTnRVYoPouTWdYCTYoNF3aI/6RrsHiyM/XF/4YQ/rYDQkgkrzXfgojqqmgsPNWhOku+E1lFCQ==',
               '7KnoHD8VcXq/YpmKtWhUCXS8lGNqvHvy63LZLsRvqieZfMLO+74x7yb9rmgoRw==',
               'DJj3shrVi3DBrWd/rvzRhhqGKznqvKNg6kRXgcAGSCWw20FSsU4ri9k5gZ0O6frG+bT+ABGGTg==',
               'S6ZqPPn2vHSmyrE92MJn+qIPgkRuhrB9ZCZv4xHeYTJi2gl2e344vcZWlqgzEt5vCn8JrrjXjdpy',
               'WM9HJnqii+8jSAogAr6T/mu2015i1NCmG0xtbX6clLuMZp9LnMdyWjZzWZU00A+OKTEXvfkD0aq2LCzH',
               'aXVL0JE8QQ7WgNxP2TxAY5B1Z8Dw6GQjRo833XQYS7gh+C2FuZqqsjQVz+9WWGlNdqha/MRMi2K7xty9tFgiL3CDtGcRlIU/qR0HJbM3NOwMRM9r7shU/8iB',
               'dZ/YA08JWub64KqCgQuHpIf+YSlBNDA8gQU0HWWkW3TNLrNrDq6YukeabOzvUTOzJAcw',
               'kltzvr3lghrL6sVWwr7u+S9vb3DLC2jwOtDvzC9JistkTmq+FdwIp+OW1ntfUKJL2pHvpPPADPedcowN',
               'riFw1jQRW9qEpnwlHbPaugnuOTkdUqzExQz9QPXVTvkdP0fEJyaKbWCirbiPDr5bOATK2mhy6yEpK5DcmyLOBePMIpY=',
               'sL69X7+/WCWS2DYtCmbk6aORmOypZ8IdkiU9P7dGWboH7+W8aH19EzhG84W2bLRQpao+gbv92pktIegGsSnw2UF1u46FCevcdkGrQkZUU77JXTat',
               'uY3X6Ne3FrTeRZWgkt9Kbu2Tf0NXHlzu9Uvqx3idsvzTqlhrj6TGBjXUee3LZ83iGlDs9zaSqeqer8/3vxgL9Zqbe0aWasnIOjtlNspCDGuODI5K3EBOAFuMPFuMl9p+chPRekk9ArCUojtUJLY7jDY5PGuDmt8=',
               'wovXW4ilIiUjZeD7DBTNmjorn1NqISSm4Mf3D0EAuQJwoESYdsO7tzJc5Ioh1hIxXv0Gg3yToW6Xb12tbyrg3CJsg7vWCKXVOPQ=',
               'yCc72boQJwCh8Totofd07KKk+4gSyi6NvbQDxuCZadtt5qxjOOQhNIB6y0dEesSxJg=='],
 'prenorm_block': ['28/T8bYRfajzbVegoROBuXRGC4C3PRmbcSXU6bWgO+bF7e0N1sCsGoCFjE52oBHxcxzYEfPILjrUhzqsJi9wYBxsTUmBYg==',
                   '2TrdAFLbskYi6ybBpAJrOAVyVlw/P2opAeVaBiR8OluQqA1CqjsVdZea1zOrg89UHgoBWLz+eD0rh1CydJiR9g==',
                   '5CSNaYt25VigNMZ5iH9Ce4jdcXGmhvncbu881Epwy7h08KBsfws/f0GXP0dN',
                   'ABO1KI9MAXztd42zKbppBpqbIqh3JRQriVtTk+Wwk3PkwccxLdjzIv5wXJCQ+zFVwGTFIxZhpH9Ch9FfOzb9m6I=',
                   'CGA25nGEP/vIWsxRilomjoTe6J7f+6OSQQEZAXOgB9UDtj+v7QCITWTLHXzx8m5dkaGkaPsEuqULwLjQP59arbj/',
                   'CYDExdOKKDEzI3AomupmyeVhV+9vpdKaxuiKdNpQkG4u8GtZ14rrTw11BmtIWrJiwNp4/g==',
                   'DjYKAGZlg47LR3NUS9XccvsI+W7UXLQdszEmytX8JqLwv+p48XlbjDogu/ru2Bm4Z64oHWhP',
                   'EERnHMWd5IrYGz5qQOUqUK6jCRroc6IOIbSFbqTgUzYK6O16vCFSjDfeaO9RlP5rt2a+QreBHkIQt2RsRFN4fbReLA==',
                   'En2PFVPWmRyG4svuvMQyLQz+4jTEaPjdPgjFJ3GoH9kYP6SG02oOkx0fW8XXAH4FJ/PjF+O2ErD2btGeyBVGLmuNlms8Nx06e5x4mvRBvwXRVen83cUkn+v3',
                   'FDDsfYb8T9xUIstigKiH/iB0z6RDOdeGSciamNfvIOjB178R+X3kVkYAEAMvhmw1o4LjTCDG82uvLXGPha7UUw4=',
                   'HaJ6BdfU2V81UOVrrQmVlXoizuoJiBG++wtxueM0CfijfHDHEKXm2tdhSg0W9mzNKLwn7Waf4XmnsN0SO0M/9KYpvXAYq86HT584I6+houwcRNxT',
                   'JKZP19myEhzkIw4XgBFUWliZ5HTEhOaYLoXCEhIBoU4STOwk5qMhpvyv+LPJIikoVl08TlsBzidnsG11SqhTHQeytdGfrcNTbaLVhsrq1EKacFT8jpJtYQeNLDEmX3U=',
                   'OE/fMG01Uvbhs80OH/PhBlsuZjp13vw7NGtwYG+bC93oU/tr6m+LZy343pXx28pV1NQ8EuyU2rcJrLBLOduOwnlfR4aKX+aa',
                   'P3HwYG/3BZXvodOgCmOLymvqHwWAhgFd2Zq9hrdgg0Eksa04lP1AXmVVib4CqAl5BYVK',
                   'P75dig8ev9/46PbscYD+F4eGaVASbXH2eiHLHs2EGdqFSae3dr6zXLHnxX3Wl0zTx0kuDo5QmwJCB/BqdVqOKWBJAgWe9mUgxBSMhxvZ5M8gBYLu8aR6VMKfWBRbwtwEQC2YslyJQJbAqRnIEZxPec3Kgguj47Q=',
                   'PGNlvOu5yYuN0ORVqtp9XRfmL/qQbaTbYVMMkrO3FYThTm4NRQSJb+o+FrZ5lAKfrnK+MjaHLt+Y5goOkAfi7nB61+0A+LUv5Coukg==',
                   'QIZ/EZ9uPk80nxXptfcqKMBcmr42DpxJVLGoF4ZB1F0gSeCK6UnjeqPQj6SLoAqkB7S+',
                   'QNoMMqURHcOL89Eyo6avoAk+l5Yqi7fEoEkJAUtXsh6uhegS5Lv/pu2hTt3grhaoGCPp/8LA8bUyC9+B',
                   'V6QZ2PBBLM7zLJ0BsTw/ceTBY1EiYi5aIWwmTYssdDdSyX8f3lDxo6t8t7WHN5qAJARcIEwfQGRf1okZOHv2qkjTPt1Wwl8G9Xu/ZOVr/Ove3pCB3vso',
                   'WLXbCBBZTbCOsYRwCODWH3KAFFxZnWCaJxAlN54yVjsSp55naQ5m9Hraf5+l7RmEm36R3zB4jUcEv9rrMxQt1XV0CiDpmN2OnFN5KJ0x',
                   'Wjg/VHdqiRbZ9SbaUC7R+MIb4TjLkEe+zh0gSOGplGmjvJakfwQ4SY9tZDXJIw==',
                   'beHxzCHt3CBCK+BWdwiHbikjC8KbcozklNSQyxy4SKT/0s67bBBmSy0cTJPVqSXATki3tGScCYE=',
                   'bfO0/ezCXS/f0LwPt8gQK7JiC1TP3EDiaIPP1juv4vVP+aopGDIqloB1aTlfA/tMq0LvXusOMkEMfbahgc+zXYSE/BfuMU9COe2wY5SDQaF2cyt14stNuCsxEg8=',
                   'btxy5n1a2h/BgYLglpqRjjLakiW38tIgqcZUqcG8qpVBoL7eXIPs2Bc3Rs8Twopo5bX1auYRUxW3+RjFNnVvyeS3VhCLLvEVCZCVFtMLKf8DmOQbB0ZC+Yl0uTc=',
                   'cefuX/sijDTvqNi4j4yqG/IRCeQ7dQ6fbrTGm2KDrF3il8AiQBnM2N3+28B3Em01PIy1OIVrqMaA',
                   'eOxC60Ji45MU4WaQIL4Xbt3OQ3olQNSYvLWrUj9kNSyyPCwLBiWDspCyTY8caKCvpxzNmpbzLsDTZw==',
                   'gP/hiwnhiidOnHxKKfInmyw53MuvLCCXJl4O0HQl7d7wUNdR/aJtc3wY1kPb9aXfGo9O41xxU1p96b/sbg5J46+SufbQ9py0',
                   'kAeJ6eOsto+Ch5AaZdzd3+ReVmujBm7mMg51e5BEtJdHIQF9RNnodqBHN2x7zSzL3iOlZ1bAxsL/++KbirPnOEsPEQ==',
                   'lVtMnYWQbj8g0UMCpS6SigyGY/i5znHEcd4tWaohJxgdfK7vGMD8l6VyTL1D56NS8bffxHLzt6cNDSKgNWDSs650zJw/I1Ya+G3vmPg8kFNOzkwfNT81XpdDUFatMQQ=',
                   'lv8633Xq52q5kdOEifyWLzB3Ufh3UUUff4KYXA9Vj1+AFKgaiZitLJNYzf3hCgDNQ4VHyEcIWJi3/lEun3oGA2sZtnvWPlibZVywmw==',
                   'lwQgQHhsI0y9CMI94JST+U+aAjKMIDcF2r7eyWRaAAiJEh00W5qkotw5AQmfeTwHjFuMLbIHvjDLrWtd8yKY74FeKg==',
                   'mZFBMQSEaXQ+8spof8mROhFfwwWCUeAeXNBzdyOGNayOoXMraOzdZS4vdivXlF+e2PxuOJVw9w==',
                   'mpIsnKMOHyB6C8RcK2Rf31ZqoNuGnc+c3hwfrLceHsauF66BNVFuft7gUqcdbflwxrg=',
                   'nC7fRXQTriYbGkW4VehC64HsgzMussHy82iNdAuKYLwgFG4YPYYWXDH7aTeejF1j7vKhiTIM/wYMxPqWwPYku8rRbQTdRdKfFWoy',
                   'nJO05Qe8Yr7rBclK3fpz+1LvI0GdJ0ENexOvQv/T3NTM4zJR1VGkwU4YGuJuXq2H98kmDr43SbCAzL3Q3hkLb8L5tB8=',
                   'pP6b0p6dTLu0o+4P+Vs4Mva+njM8R6SbORvNyBLRGLp/ocU7NNyDxkhak/EKle2nOQrY/N72hnlHURH0IC85E1ISCL4=',
                   'qLBU3L4gOxQH1VQkFMT2OE0Xagc6JzxjIzQ8Eu8Q01/ki7M7xNo8F1zafNUIwP0HRcCCf5CxLzYaed/nu4cTolwdsTI=',
                   'tqlsUxv+fecUiV/Pde2eU8DzLgX8JSaX3D2WY3xPgKNifnZSDVhO1yjkkMGgOLlT8sNTFiy1SnU0',
                   'ugfN384tLcm7ObNs2O84l/HHFq1DZIeheKMshrKbs+hZx6JxVkB7mUg4o4NC1NbJgP2gtFoiXmHd',
                   'v9Zm4ZXV1WQMyxbkc0VmvA3yeRw52ZoW/dikZZ30IxqQew81yNsRKqWiq2/VCvy4+n4wQ6XmLNBU4Zg=',
                   'vJ1r90GOW+co5yC38QIgJqEJqxPOPDCG68ZMouu/UwYGkzOg4ChNf1ivEaET6hBx+b5ZAgRg+DlcknDP9X1H/NfjOYHxZp3fNJKLc86Bvw==',
                   'vMsGO0iPrj2kgqJiRmDz9vpaVqRLoEfstTwnR1VXmEnddVxSG/ei8TB1ELrNQZL1/puakYrVizp6roI=',
                   'x4Gje1JJrHP7JZv4odj5rS96f+zi5Zb4UzF0oOarFa7u7AZAm//ar800n2PTeuGz12YucBWtX3x9foUYDd7w7fg3',
                   'xRu6ZiGrenzBD4srQVJ+oi9/a4wg+m6OhLwOYM6EVoM1tKDGksWf1EAb/nj2ZfDe+Dl+Ocld5MnhHn7lcDXFNa9QsDQr4QqADZP/60bCIL8=',
                   'yg1eIScbzJzziko+fCOFrpMI0xAWQPBrPqMdjgw4Th94jF5RKl2w7kEZ6ndCl/Ee0fXJhKziuz0JTOB1ExqLp9v8EFb04xd8X47/UpwsbAk0uwsm'],
 'stack_norms': ['/yxfJ32TDIBbMO1CMPV4zX6L8fn1uD2ThxV0LBm20PNZYRXMy8OW68x6n4gnDwJMm0StJxRnbSHXmquMANaPn6hpcuLxa0Ztuhd22Q==',
                 '70gb8A/8RH2RqRSUCkfKhOUxLFrhNCpZZu4tOlacl7gIv3770Sqd8ME+qx2zXYIMZZolr8GCwuJ211lAC+s=',
                 '7TfXZo4BiqDW545WZ3h7ZGZYcBKHND7rtp014QkmRo91/hCEzvkegASyBKfa/gg5sWjrlp9xwpcYeki7HsJt7HKd/w==',
                 'JPEisqo6psHAmEuJxk8swIJ5Iu7c/h6QnzL5m04XOKD3BWal9+ik4P9gIYzh9qaCK1SRycUxT+VcF9k7+XQItRnb9JA=',
                 'O1kMeQ1sTAZ369mhutQ1UGPl8zfq90Pbgi/GOAskpiDa6TRcxaLiqWXUfVPU9dffzOP2f+7WwRF7E32Vrh+AHEJ1wdkCucqXTqMK3A==',
                 'RhJS1ZDdfAg4VvzBhj/cyrl9pk5p2HIBcNwDjFtpo01su6qV892O9ll6UzfVjLpICV1iT1g4kCCyofNAhBuXLOkErA==',
                 'TofJNkJyimoEN0BVyw1Yw45fj//VA50pRm0XJcmIO8JlGb92fuzzG0yxXQ==',
                 'U0y4R6cvNUXz79JqhP210m65og2alKf5K4tL8uHbVZyNmtJSre8p7sFuTbL29BCf8O8EUqjXp8rPDiwdUE3I2pwY',
                 'ekEoCFeLC8xKqDm5vX9FK/e6j6WWSmjwrPiHog69vmlRbKjqbKZwSUNV3pmJP2UOU4q8lmU/RrgMk/x5GyLQ5ESKYRrpzm34Fn6rZpjM6YMtGiWxZXHt8JFC5x5U6TNeKOFqzkfQkg==',
                 'h1BF0STBM0+QtZus45jd11jq5VDkkiPhWlUYYkPVEeUMyH9HT2O5LaCsRuDs7w==',
                 'h1BF0STBM0+QtZus45jd11jq5VDkkiPhWlUYYkPVEeUMyH9HT2O5LaCsRuDs7w==',
                 'hbkPjOkyZ2yE4bJZiUtm02o564yUWNC2O9N0rc0H6dKPPCnwJRjBps6gPY5f0g==',
                 't0U/1rQyiSEkJd1TU1qO339xqDevm7GmdIBOVTAp1QvAs8n6NuUoQBAkxj2ROmUTQtM1/CzkD9NzpftRrfbdjAVgOO39ONpS0vUIGG+zn8Zo',
                 't3nkeuEpn1sYTn0t5uvJKDeC7BnKKJL7Uqo7cnxflvurbnBJXBD0YPk=']}
