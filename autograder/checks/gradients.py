"""A gradient that was derived by hand beside the slopes of its function: for students' own work.

Part of the `checks.py` of exercises whose notebooks use it. Others may ask for just this to be written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.checks.compare import Mismatch, assert_close
from autograder.checks.differences import describe
from autograder.values import entries_of, form_of, is_tensor

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
