"""What a wrong array has to do with the right one, where that is plain to see: a sign, a factor, axes exchanged.

A pattern is told where it explains every entry, is the only one that does, and is no chance: the right entries must
have enough different sizes. It names no number: neither the factor nor the right entries.

Part of every `checks.py`: the standard library and NumPy only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.checks.tolerance import Tolerance, wide, worst_error

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
