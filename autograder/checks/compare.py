"""The comparisons, which follow the house's one tolerance policy (`checks/tolerance.py`).

A comparison takes the `actual` value of a student, which may be any object at all, and the trusted
`expected` value, which decides what is asked for: its kind (number, array or tensor), then its
shape, then its dtype, then finite entries, then the values. The first of these that is wrong
raises a `Mismatch` whose message may be shown to the student: it describes the student's value
and never prints the expected one. Nothing else is raised because of `actual`.

What counts as a number, an array or a tensor is said in values.py. These sources become part of every
`checks.py`, so beside each other they need the standard library and NumPy only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from autograder.checks.differences import (
    about,
    as_printed,
    count,
    describe,
    first,
    shape_difference,
    text_difference,
    value_difference,
)
from autograder.checks.tolerance import Tolerance, errors_of, tolerance_for, worst_error
from autograder.values import Form, as_base, entries_of, form_of, plain_text, type_name

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
