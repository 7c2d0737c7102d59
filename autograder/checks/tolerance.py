"""How far an entry may be off: the house's one tolerance policy, and errors measured by it.

Part of every `checks.py`: the standard library and NumPy only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
