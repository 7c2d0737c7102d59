"""Which known mistakes a submission makes: those whose solutions give the same wrong results on the same inputs.

The solutions of `wrong/` run as a student's would, in the student's process, when the first student fails a task that
they lose. What a test came to is compared whole: all that the submission answered, and what it gave to the test's own
functions, by value, shape, dtype and raised error.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec
import numpy as np

from autograder.checks.compare import distance
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.variants import Variant, wrong_variants
from autograder.grading.mistake_cache import MistakeCache
from autograder.grading.runner import Runner, identity
from autograder.grading.suite_plugin import SuiteResult
from autograder.grading.trace import Trace, Unkept, size_of
from autograder.isolation.replies import Raised
from autograder.report import Mistake, Status, TestResult
from autograder.submission.samples import graded_cells, solved_by
from autograder.values import Handle, entries_of

_ROOM = 256 << 20  # bytes of what known mistakes came to, for all exercises of a grader
_TELLING = (Status.FAILED, Status.ERROR)  # a process that has ended gives nothing to compare

Tests = dict[str, list[TestResult]]


class MistakeFinder:
    """Recognises the known mistakes of exercises. Each known-wrong solution runs once for all students."""

    def __init__(self, runner: Runner, cache: MistakeCache) -> None:
        self._runner = runner
        self._cache = cache
        self._runs: dict[tuple[object, ...], tuple[SuiteResult, int]] = {}  # with their bytes, the last used one last
        self._known: dict[tuple[str, str], list[Variant]] = {}

    def find(self, seeded: SeededExercise, task: str, run: SuiteResult) -> tuple[Mistake, ...]:
        """The mistakes that `run` shows in `task`, the one that explains most of it first.

        A mistake is shown where every test function that it loses is lost, and half of them at least give the very
        same: one alone may be blind to the difference between two mistakes.
        Errors: SandboxError, ExerciseError.
        """
        mine = _by_function(run.results[task])
        if not any(test.status in _TELLING for tests in mine.values() for test in tests):
            return ()
        suspects = [variant for variant in self._variants(seeded.built) if task in variant.loses]
        # Each process begins with others of them, so that it finds some that another one has kept meanwhile.
        shuffled = random.Random(os.getpid()).sample(suspects, len(suspects))
        same = {one.name: _same_losses(mine, run, task, self._run(one, seeded)) for one in shuffled}
        explained = [(variant, same[variant.name]) for variant in suspects if same[variant.name]]
        return tuple(Mistake(variant.name, variant.title, variant.hint) for variant in _fewest(explained))

    def prepare(self, seeded: SeededExercise) -> None:
        """Run every known-wrong solution now, so that no student waits for it. Errors: SandboxError, ExerciseError."""
        for variant in self._variants(seeded.built):
            self._run(variant, seeded)

    def _variants(self, built: Built) -> list[Variant]:
        if identity(built) not in self._known:
            self._known[identity(built)] = wrong_variants(built.exercise)
        return self._known[identity(built)]

    def _run(self, variant: Variant, seeded: SeededExercise) -> SuiteResult:
        key = (identity(seeded.built), seeded.seed, variant.name)
        if key not in self._runs:
            run = self._cache.load(seeded, variant) or self._try(variant, seeded)
            self._runs[key] = run, size_of(run.traces)
        self._runs[key] = self._runs.pop(key)
        self._make_room()
        return self._runs[key][0]

    def _make_room(self) -> None:
        """Forget what was not used for the longest time, but not the last one."""
        while len(self._runs) > 1 and sum(size for _, size in self._runs.values()) > _ROOM:
            del self._runs[next(iter(self._runs))]

    def _try(self, variant: Variant, seeded: SeededExercise) -> SuiteResult:
        cells = graded_cells(solved_by(seeded.built, variant), seeded.built)
        run = self._runner.run(cells, seeded, variant.loses).suite
        self._cache.save(seeded, variant, run)
        return run


def _by_function(tests: Sequence[TestResult]) -> Tests:
    return {name: list(group) for name, group in groupby(tests, key=lambda test: test.name.split("[")[0])}


def _same_losses(mine: Tests, run: SuiteResult, task: str, known: SuiteResult) -> frozenset[str]:
    """The test functions that the known mistake explains, none where it loses one that the submission passes."""
    theirs = _by_function(known.results[task])
    lost = [name for name in theirs if _is_lost(theirs[name])]
    if not all(_is_lost(mine[name]) for name in lost):
        return frozenset()
    same = frozenset(name for name in lost if _is_same(mine[name], run, theirs[name], known))
    return same if 2 * len(same) >= len(lost) else frozenset()


def _is_lost(tests: Iterable[TestResult]) -> bool:
    return any(test.status is not Status.PASSED for test in tests)


def _is_same(mine: list[TestResult], run: SuiteResult, theirs: list[TestResult], known: SuiteResult) -> bool:
    return all(
        my.status is their.status and (my.status is Status.PASSED or _came_to_the_same(my, run.traces, known.traces))
        for my, their in zip(mine, theirs, strict=True)
    )


def _came_to_the_same(test: TestResult, mine: dict[str, Trace], theirs: dict[str, Trace]) -> bool:
    return test.status in _TELLING and alike(mine[test.name], theirs[test.name])


def _fewest(explained: list[tuple[Variant, frozenset[str]]]) -> list[Variant]:
    """So few mistakes that they explain all that can be explained."""
    chosen: list[Variant] = []
    left = frozenset[str]().union(*(functions for _, functions in explained))
    while left:
        best, functions = max(explained, key=lambda one: len(one[1] & left))
        chosen.append(best)
        left -= functions
    return chosen


def alike(one: Any, other: Any) -> bool:
    """Whether two traces, or two values in them, are the same up to rounding; for all that may cross."""
    if isinstance(one, Handle) and isinstance(other, Handle):
        return one.handle_type == other.handle_type
    if type(one) is not type(other):
        return False
    match one:
        case Unkept():
            return False
        case list() | tuple():
            return len(one) == len(other) and all(map(alike, one, other))
        case dict():
            return alike([*one], [*other]) and all(map(alike, one.values(), other.values()))
        case Raised():  # not where: that quotes a line of the submission
            return (one.type, one.message) == (other.type, other.message)
        case msgspec.Struct():
            return all(alike(getattr(one, name), getattr(other, name)) for name in one.__struct_fields__)
    return _is_equal(one, other)


def _is_equal(one: Any, other: Any) -> bool:
    try:
        return distance(one, other) <= 1 or _is_equal_with_nan(one, other)
    except TypeError:  # no number, array or tensor
        return bool(one == other)


def _is_equal_with_nan(one: Any, other: Any) -> bool:
    first, second = entries_of(one), entries_of(other)
    if first is None or second is None or first.dtype != second.dtype:
        return False
    return np.array_equal(first, second, equal_nan=True)
