"""The house's one tolerance policy, and the comparisons that follow it.

A comparison takes the `actual` value of a student, which may be any object at all, and the trusted
`expected` value, which decides what is asked for: its kind (number, array or tensor), then its
shape, then its dtype, then finite entries, then the values. The first of these that is wrong
raises a `Mismatch` whose message may be shown to the student: it describes the student's value
and never prints the expected one. Nothing else is raised because of `actual`.

What counts as a number, an array or a tensor is said in values.py. Both sources become part of every
`checks.py`, so beside each other they need the standard library and NumPy only.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.values import Form, as_base, entries_of, form_of, plain_text, type_name


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

_EXPECTED_KIND = {
    "number": "a single number",
    "array": "a NumPy array",
    "tensor": "a PyTorch tensor",
}
_FACTORS = {2.0: "twice", 0.5: "half", -1.0: "minus"}


class Mismatch(AssertionError):
    """A student's value is not what was asked for; the message is safe to show to the student."""


def assert_close(actual: object, expected: object, what: str = "the result", *, rtol: float | None = None) -> None:
    """Raise Mismatch unless `actual` is `expected` within the tolerance of its dtype.

    `rtol` sets a wider bar, for checks against finite differences; the floors widen with it.
    """
    got, want = _matched(actual, expected, what)
    _require_equal(got, want, what, _tolerance(expected, rtol))


def assert_exact(actual: object, expected: object, what: str = "the result") -> None:
    """Raise Mismatch unless every bit of `actual` is that of `expected`, the sign of zero excepted.

    That sign tells only in which order zeros were multiplied and added, which no task asks for.
    NaN equals nothing.
    """
    got, want = _matched(actual, expected, what)
    _require_equal(got, want, what, None, rounding=_tolerance(expected))


def distance(actual: object, expected: object, *, rtol: float | None = None) -> float:
    """Return the largest error as a multiple of what `assert_close` allows: it passes up to 1.0.

    Infinite where kind, shape or dtype differ, and where an exact comparison fails.
    """
    try:
        got, want = _matched(actual, expected, "")
    except Mismatch:
        return float("inf")
    return _worst(got, want, _tolerance(expected, rtol))


def assert_printed(actual: object, printed: str, what: str = "the result") -> None:
    """Raise Mismatch unless `actual` is within half a unit of the last digit of `printed`."""
    got, _ = _matched(actual, float(printed), what)
    _require_finite(got, np.asarray(0.0), what)
    error = abs(Decimal(float(got)) - Decimal(printed))
    last_digit = Decimal(printed).as_tuple().exponent
    if error > Decimal(5).scaleb(int(last_digit) - 1):
        raise Mismatch(
            f"{what}: yours is {_show(got)}, off by {_about(float(error))}; "
            "it must agree with every digit of the printed value"
        )


def assert_text(actual: object, expected: str, what: str = "the text") -> None:
    """Raise Mismatch unless `actual` is `expected`, character for character."""
    actual = as_base(actual)
    if type(actual) is not str:
        raise Mismatch(f"{what}: it should be a string, yours is {_describe(actual)}")
    if (text := plain_text(actual)) != expected:
        raise Mismatch(f"{what}: {_text_difference(text, expected)}")


def expect_tuple(value: object, *names: str) -> tuple[Any, ...]:
    """Return `value` as a tuple; Mismatch unless it is a tuple or list of one value per name."""
    wanted = f"it should return {len(names)} values ({', '.join(names)})"
    value = as_base(value)
    if not (type(value) is tuple or type(value) is list):
        raise Mismatch(f"{wanted}, yours returns {_describe(value)}")
    if len(value) != len(names):
        raise Mismatch(f"{wanted}, yours returns {len(value)}")
    return tuple(value)


def expect_bool(value: object, what: str = "the answer") -> bool:
    """Return `value` as a Python bool; Mismatch unless it is a Python or NumPy bool."""
    if not (type(value) is bool or type(value) is np.bool_):
        raise Mismatch(f"{what}: it should be True or False, yours is {_describe(value)}")
    return bool(value)


def expect_object(value: object, of: str, what: str = "the result") -> Any:
    """Return `value`; Mismatch unless it is an object of the notebook's class named `of`.

    For what is about to be asked for its attributes: data has none of them.
    """
    if type_name(value) != of:
        raise Mismatch(f"{what}: it should be an object of the class {of}, yours is {_describe(value)}")
    return value


def require(condition: object, message: str) -> None:
    """Raise Mismatch with `message`, which students see, unless the condition holds."""
    if not condition:
        raise Mismatch(message)


# --- kind, shape, dtype ---


def _matched(actual: object, expected: object, what: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the entries of both values, once kind, shape and dtype are found to agree."""
    want, wanted = _trusted(expected)
    got = form_of(actual)
    if got is None or got.kind != want.kind:
        raise Mismatch(f"{what}: it should be {_EXPECTED_KIND[want.kind]}, yours is {_describe(actual)}")
    if got.shape != want.shape:
        raise Mismatch(
            f"{what}: its shape should be {want.shape}, yours is {got.shape}{_transposed(got.shape, want.shape)}"
        )
    fits = _number_fits(got.dtype, want.dtype) if want.kind == "number" else got.dtype == want.dtype
    if not fits:
        raise Mismatch(f"{what}: its dtype should be {want.dtype}, yours is {got.dtype[:40]}")
    return _entries(actual, want, what), wanted


def _trusted(expected: object) -> tuple[Form, NDArray[Any]]:
    """Return form and entries of the expected value; a TypeError here is the fault of the test."""
    form, entries = form_of(expected), entries_of(expected)
    if form is None or entries is None:
        raise TypeError(f"cannot compare with an expected value that is {_describe(expected)}")
    return form, entries


def _number_fits(got: str, want: str) -> bool:
    """Whether one number may stand for another: integers for reals, never less precision."""
    one, other = np.dtype(got), np.dtype(want)
    if one.kind in "iu":
        return other.kind in "iufc"
    return one.kind == other.kind and one.itemsize >= other.itemsize


def _transposed(got: tuple[int, ...], want: tuple[int, ...]) -> str:
    return ", its transpose" if len(got) > 1 and got == want[::-1] else ""


def _entries(value: Any, want: Form, what: str) -> NDArray[Any]:
    """Return the entries of a value of the kind and shape of `want`; a number's in the dtype of `want`."""
    if want.kind == "number":
        return _number(value, want.dtype, what)
    entries = entries_of(value)
    if entries is None:  # sparse, on the meta device, too large to hold
        raise Mismatch(f"{what}: it should be a plain dense tensor, yours is not")
    return entries


def _number(value: Any, dtype: str, what: str) -> NDArray[Any]:
    plain = value.item() if isinstance(value, np.generic | np.ndarray) else as_base(value)
    try:
        with np.errstate(over="ignore"):
            return np.asarray(plain, dtype=dtype)
    except OverflowError:
        raise Mismatch(f"{what}: yours is far too large") from None


# --- values ---


def _tolerance(expected: object, rtol: float | None = None) -> Tolerance | None:
    """Return the policy for an expected value, None where the comparison is exact."""
    policy = _POLICY.get(_trusted(expected)[0].dtype)
    return policy if policy is None or rtol is None else policy.widened(rtol)


def _require_equal(
    got: NDArray[Any],
    want: NDArray[Any],
    what: str,
    tolerance: Tolerance | None,
    rounding: Tolerance | None = None,
) -> None:
    """Raise Mismatch unless entries agree; `rounding` tells near misses of an exact comparison."""
    _require_finite(got, want, what)
    wrong = _errors(got, want, tolerance) > 1
    if wrong.any():
        raise Mismatch(f"{what}: {_difference(got, want, wrong)}{_observation(got, want, tolerance, rounding)}")


def _require_finite(got: NDArray[Any], want: NDArray[Any], what: str) -> None:
    if np.isnan(want).any():
        raise ValueError(f"the expected value of {what} holds NaN, which equals nothing")
    wrong = ~np.isfinite(got) & (got != want)
    if wrong.any():
        raise Mismatch(f"{what}: {_count(wrong, 'is not finite', 'are not finite')}{_first(got, wrong)}")


def _errors(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None) -> NDArray[Any]:
    """Return the error of every entry as a multiple of the allowed one: infinite for NaN."""
    if tolerance is None:
        return np.where(got == want, 0.0, np.inf)
    with np.errstate(all="ignore"):
        sizes = np.abs(_wide(want))
        largest = np.max(sizes, where=np.isfinite(sizes), initial=0.0)
        floor = tolerance.floor * largest if largest else tolerance.zero
        allowed = tolerance.relative * sizes + floor + tolerance.smallest
        ratios = _gaps(got, want) / allowed
    return np.where(np.isnan(ratios), np.inf, ratios)


def _gaps(got: NDArray[Any], want: NDArray[Any]) -> NDArray[Any]:
    """Return |got - want| of every entry; zero for two equal infinities."""
    with np.errstate(all="ignore"):
        return np.where(got == want, 0.0, np.abs(_wide(got) - _wide(want)))


def _wide(entries: NDArray[Any]) -> NDArray[Any]:
    """Return the entries in double precision, so that no difference is rounded or wraps round."""
    return entries.astype(np.complex128 if entries.dtype.kind == "c" else np.float64)


def _worst(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None) -> float:
    return float(np.max(_errors(got, want, tolerance), initial=0.0))


# --- messages ---


def _difference(got: NDArray[Any], want: NDArray[Any], wrong: NDArray[Any]) -> str:
    """Say how many entries differ, and where the first and the largest difference are."""
    text = _count(wrong, "differs", "differ") + _first(got, wrong)
    gaps = np.where(wrong, _gaps(got, want), 0.0)
    place = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    if np.count_nonzero(wrong) > 1:
        text += f", the largest at {_index(place)}"
    known = want.dtype.kind != "b" and np.isfinite(gaps[place])
    return f"{text}, off by {_about(float(gaps[place]))}" if known else text


def _count(wrong: NDArray[Any], singular: str, plural: str) -> str:
    """Open a sentence on the wrong entries: "7 of 24 entries differ", for a number "it differs"."""
    count = int(np.count_nonzero(wrong))
    if wrong.ndim == 0:
        return f"it {singular}"
    return f"{count} of {wrong.size} entries {singular if count == 1 else plural}"


def _first(got: NDArray[Any], wrong: NDArray[Any]) -> str:
    place = tuple(np.argwhere(wrong)[0])
    where = f"; the first at {_index(place)}" if wrong.ndim else ""
    return f"{where} (yours is {_show(got[place])})"


def _index(place: tuple[Any, ...]) -> str:
    return str([int(i) for i in place])


def _show(entry: Any) -> str:
    value = entry.item()
    return str(value) if isinstance(value, bool | int) else f"{value:.6g}"


def _about(gap: float) -> str:
    """Return a difference to one significant digit, which is a size and not an answer."""
    return f"about {float(f'{gap:.0e}'):g}"


def _observation(
    got: NDArray[Any],
    want: NDArray[Any],
    tolerance: Tolerance | None,
    rounding: Tolerance | None,
) -> str:
    """Return a remark on a frequent kind of wrong value, empty for all others."""
    if want.dtype.kind not in "fc":
        return ""
    if not got.any():
        return "; yours is zero everywhere" if want.ndim else ""
    if rounding is not None and _worst(got, want, rounding) <= 1:
        return "; it agrees up to rounding, but here it must be exact"
    if tolerance is _DOUBLE and _worst(got, want, _SINGLE) <= 1:
        return "; it agrees up to float32 precision: a step loses digits, or a small term is off"
    for factor, name in _FACTORS.items():
        if _worst(got, _wide(want) * factor, tolerance) <= 1:
            return f"; yours is {name} what it should be"
    if want.ndim == 2 and got.shape == want.T.shape and _worst(got.T, want, tolerance) <= 1:
        return "; its transpose would be right"
    return ""


def _describe(value: object) -> str:
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


def _text_difference(actual: str, expected: str) -> str:
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
