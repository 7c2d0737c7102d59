"""How a student's value differs from the right one, in words that students may read.

They describe the student's value: what it is, its shape, where it is wrong and by how much, to one digit. They never
print the right entries, and say only what is true. `checks/patterns.py` adds what the whole of an array shows.

Part of every `checks.py`: the standard library and NumPy only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.checks.patterns import axis_name, pattern
from autograder.checks.tolerance import Tolerance, errors_of, gaps_of, tolerance_for, wide, worst_error
from autograder.values import as_base, form_of, type_name

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
