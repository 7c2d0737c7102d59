"""What known mistakes came to in the hidden suites, kept: so each is tried once, not once in every process.

The content is one frame of `wire`. It is read as carefully as anything that crosses: where students' code is not shut
in, it could have written there.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from autograder import wire
from autograder.exercise.built import SeededExercise
from autograder.exercise.packages import versions_of
from autograder.exercise.variants import Variant, wrong_variants
from autograder.grading.suite_plugin import SuiteResult
from autograder.grading.trace import Unkept
from autograder.isolation.callbacks import incoming
from autograder.isolation.origins import as_it_came
from autograder.isolation.replies import Missing, Raised, TooLarge, Value
from autograder.report import Status, TestResult
from autograder.store import Store, key_of

_SHELF = "mistakes"
_FLEETING = (Status.TIMEOUT, Status.UNGRADED)
_ANSWERS = {kind.__name__: kind for kind in (Value, Missing, TooLarge, Raised, Unkept)}


class MistakeCache:
    """The results in the store of a course; without a course, nothing is kept. Of a result only `results` and `traces`
    are.
    """

    def __init__(self, course: Path | None) -> None:
        self.course = course

    def load(self, seeded: SeededExercise, variant: Variant) -> SuiteResult | None:
        """The result of a known mistake, if it is there and can be read."""
        if self.course is None:
            return None
        frame = _store(self.course, seeded).load(_SHELF, variant.name, _key(seeded))
        try:
            kept = wire.decode_frame(frame or b"", incoming)
            results = msgspec.convert(kept["results"], dict[str, list[TestResult]])
            return SuiteResult(results, {name: [*map(_item, trace)] for name, trace in kept["traces"].items()})
        except (wire.WireError, msgspec.ValidationError, LookupError, TypeError, ValueError, AttributeError):
            return None

    def save(self, seeded: SeededExercise, variant: Variant, result: SuiteResult) -> None:
        """Keep a result, unless it hangs on the moment: on a busy machine, or on a fault of the suite."""
        tests = [test for tests in result.results.values() for test in tests]
        if self.course is None or any(test.status in _FLEETING for test in tests):
            return
        traces = {name: [*map(_node, trace)] for name, trace in result.traces.items()}
        with suppress(wire.WireError, OSError):  # too large, or no room: then the next process tries it again
            frame = wire.encode({"results": msgspec.to_builtins(result.results), "traces": traces}, as_it_came)
            _store(self.course, seeded).save(_SHELF, variant.name, _key(seeded), frame)


def forget_other_mistakes(course: Path, seeded: SeededExercise) -> None:
    """Remove the results of known mistakes that the exercise has no more. Errors: OSError."""
    names = [variant.name for variant in wrong_variants(seeded.built.exercise)]
    _store(course, seeded).keep_only(_SHELF, names)


def _store(course: Path, seeded: SeededExercise) -> Store:
    return Store(course, seeded.built.exercise.slug)


def _key(seeded: SeededExercise) -> str:
    exercise = seeded.built.exercise
    return key_of(exercise.version, versions_of(exercise.packages), seeded.seed)


def _node(item: object) -> tuple[Any, ...]:
    """An answer, or what a test's own function was given."""
    if isinstance(item, tuple):
        return ("given", *item)
    assert isinstance(item, msgspec.Struct)
    return (type(item).__name__, *(getattr(item, name) for name in item.__struct_fields__))


def _item(node: tuple[Any, ...]) -> object:
    kind, *fields = node
    return tuple(fields) if kind == "given" else _ANSWERS[kind](*fields)
