"""Answers to questions: a choice, several choices, a number, a short text. Here is said what an answer is at all.

Part of the `checks.py` of exercises with questions, so it says nothing about which answer is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.checks.compare import Mismatch
from autograder.values import as_base, entries_of, form_of, plain_text, type_name

_SETS = ("set", "frozenset")
_LONGEST = 40  # characters of an answer that is quoted


def read_answer(value: object, kind: str, options: Sequence[str] = ()) -> Any:
    """Return an answer in its one form: an option, a set of options, a float, a text without space around it.

    kind: "choice", "choices", "number" or "text". Small and capital letters are the same in options.
    Errors: Mismatch where there is no answer, or one of another kind.
    """
    value = as_base(value)
    if value is None or value is Ellipsis:
        raise Mismatch("there is no answer yet")
    if kind == "choice":
        return _option(value, options)
    if kind == "choices":
        return frozenset(_option(one, options) for one in _several(value))
    return _plain_number(value) if kind == "number" else _text(value)


def _several(value: Any) -> list[Any]:
    if type(value) is str:
        return [part for part in value.split(",") if part.strip()]
    if type(value) in (list, tuple) or type_name(value) in _SETS:
        return list(value)
    raise Mismatch('answer with a list, as ["first", "second"]')


def _option(value: Any, options: Sequence[str]) -> str:
    value = as_base(value)
    known = {option.casefold(): option for option in options}
    chosen = known.get(value.strip().casefold()) if type(value) is str else None
    if chosen is None:
        yours = f"; yours is {plain_text(value)[:_LONGEST]!r}" if type(value) is str else ""
        raise Mismatch(f"choose from {', '.join(map(repr, options))}{yours}")
    return chosen


def _plain_number(value: Any) -> float:
    form, entries = form_of(value), entries_of(value)
    if form is None or entries is None or entries.size != 1 or entries.dtype.kind not in "iuf":
        raise Mismatch("answer with a number")
    number = float(entries.reshape(-1)[0])
    if not np.isfinite(number):
        raise Mismatch("answer with a finite number")
    return number


def _text(value: Any) -> str:
    if type(value) is not str:
        raise Mismatch("answer with a short text")
    return plain_text(value).strip()
