"""Knows a mistake again by what the public tests see of it, and asks the question that belongs to it.

What fails in a task, and with which values, makes a key. The build runs every known mistake and seals its question
with the key of its results: `SEALED` holds them, by task. Who has these results can open it; the text shows neither
the question nor the results, right or wrong.

Other machines come to other last digits. So numbers are rounded coarsely, each array as a whole: to its largest entry
and to a few sums over all entries. What lies near a border of the rounding is tried on both sides of it.

Part of every `checks.py`: the standard library and NumPy only.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256, shake_256
from itertools import product
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.checks.tolerance import tolerance_for
from autograder.values import as_base, entries_of, form_of, plain_text, type_name

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
