"""What known mistakes came to in the hidden suites, kept in files: so each is tried once, not once in every process.

A file holds one frame of `wire`. It is read as carefully as anything that crosses: where students' code is not shut
in, it could have written there.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from autograder import wire
from autograder.exercise.built import Built
from autograder.exercise.variants import Variant
from autograder.grading.suite import SuiteResult
from autograder.isolation.session import Missing, Raised, TooLarge, Value, incoming
from autograder.report import Status, TestResult
from autograder.store import versions, write_whole
from autograder.values import Handle

_FLEETING = (Status.TIMEOUT, Status.UNGRADED)
_ANSWERS = {kind.__name__: kind for kind in (Value, Missing, TooLarge, Raised)}


class MistakeCache:
    """The runs in a folder; without one, nothing is kept. Of a run only `results` and `traces` are."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def load(self, built: Built, seed: int, variant: Variant) -> SuiteResult | None:
        """The run of a known mistake, if it is there and can be read."""
        if self._folder is None:
            return None
        try:
            kept = wire.decode_frame(self._path(self._folder, built, seed, variant).read_bytes(), incoming)
            results = msgspec.convert(kept["results"], dict[str, list[TestResult]])
            return SuiteResult(results, {name: [*map(_item, trace)] for name, trace in kept["traces"].items()})
        except (OSError, wire.WireError, msgspec.ValidationError, LookupError, TypeError, ValueError, AttributeError):
            return None

    def save(self, built: Built, seed: int, variant: Variant, run: SuiteResult) -> None:
        """Keep a run, unless it hangs on the moment: on a busy machine, or on a fault of the suite."""
        if self._folder is None or any(test.status in _FLEETING for tests in run.results.values() for test in tests):
            return
        traces = {name: [*map(_node, trace)] for name, trace in run.traces.items()}
        with suppress(wire.WireError, OSError):  # too large, or no room: then the next process tries it again
            frame = wire.encode({"results": msgspec.to_builtins(run.results), "traces": traces}, _sent)
            write_whole(self._path(self._folder, built, seed, variant), frame)

    def _path(self, folder: Path, built: Built, seed: int, variant: Variant) -> Path:
        circumstances = [built.exercise.version, seed, variant.name, *versions()]
        return folder / built.exercise.slug / "mistakes" / hashlib.sha256(repr(circumstances).encode()).hexdigest()


def _node(item: object) -> tuple[Any, ...]:
    """An answer, or what a test's own function was given."""
    if isinstance(item, tuple):
        return ("given", *item)
    assert isinstance(item, msgspec.Struct)
    return (type(item).__name__, *(getattr(item, name) for name in item.__struct_fields__))


def _item(node: tuple[Any, ...]) -> object:
    kind, *fields = node
    return tuple(fields) if kind == "given" else _ANSWERS[kind](*fields)


def _sent(value: object) -> list[Any] | None:
    return ["handle", value.number, value.type_name] if isinstance(value, Handle) else None
