"""What a known mistake came to is the same when it is read from a file, and is found out anew where that is spoilt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.variants import Variant, variant
from autograder.grading.mistake_cache import MistakeCache, forget_other_mistakes
from autograder.grading.suite_plugin import SuiteResult
from autograder.grading.trace import Unkept
from autograder.isolation.replies import Missing, Raised, TooLarge, Value
from autograder.report import Status, TestResult
from autograder.store import Store
from autograder.values import Handle
from tests.tiny import write_tiny_exercise

RESULTS = {
    "double": [
        TestResult("test_one", "one", 1.0, Status.FAILED, "off by 2"),
        TestResult("test_two", "two", 2.0, Status.PASSED),
    ]
}
TRACE: list[object] = [
    Value({"values": [np.arange(3.0), (np.float32(2.5), None)], "kept": Handle(3, "Tape")}),
    (np.array([[1, 2]]), "given"),
    Raised("ValueError", "ShapeError", "no", "line 3", True),
    Missing(),
    TooLarge(),
    Unkept(),
]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return build(Exercise(write_tiny_exercise(tmp_path / "tiny")))


@pytest.fixture
def mistake() -> Variant:
    return variant("squared", "def double(x):\n    return x * x\n")


@pytest.fixture
def cache(tmp_path: Path) -> MistakeCache:
    return MistakeCache(tmp_path / "kept")


def test_a_run_is_read_as_it_was_kept(cache: MistakeCache, built: Built, mistake: Variant) -> None:
    cache.save(SeededExercise(built, 0), mistake, SuiteResult(RESULTS, {"test_one": TRACE}))
    run = cache.load(SeededExercise(built, 0), mistake)
    assert run
    assert run.results == RESULTS
    assert repr(run.traces) == repr({"test_one": TRACE})
    value = run.traces["test_one"][0]
    assert isinstance(value, Value)
    assert value.value["values"][0].dtype == np.float64


def test_another_seed_mistake_or_exercise_is_another_run(cache: MistakeCache, built: Built, mistake: Variant) -> None:
    cache.save(SeededExercise(built, 0), mistake, SuiteResult(RESULTS))
    assert cache.load(SeededExercise(built, 1), mistake) is None
    assert cache.load(SeededExercise(built, 0), replace(mistake, name="cubed")) is None
    suite = built.exercise.hidden_suite
    suite.write_text(suite.read_text() + "\n")
    assert cache.load(SeededExercise(build(Exercise(built.exercise.folder)), 0), mistake) is None


@pytest.mark.parametrize("spoilt", [b"", b"\0" * 7, b"\0" * 8, b"\0\0\0\2\0\0\0\0{}", b"\0\0\0\4\0\0\0\0null", b"half"])
def test_spoilt_content_counts_as_none(
    cache: MistakeCache, built: Built, mistake: Variant, spoilt: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.save(SeededExercise(built, 0), mistake, SuiteResult(RESULTS, {"test_one": TRACE}))
    load = Store.load

    def loaded(*arguments: str) -> bytes | None:
        content = load(*arguments)  # type: ignore[arg-type]
        assert content
        return content[:-3] if spoilt == b"half" else spoilt

    monkeypatch.setattr(Store, "load", loaded)
    assert cache.load(SeededExercise(built, 0), mistake) is None


def test_the_results_of_mistakes_that_are_none_any_more_are_removed(cache: MistakeCache, built: Built) -> None:
    (built.exercise.folder / "wrong").mkdir()
    (built.exercise.folder / "wrong" / "cubed.py").write_text(
        '"""Cubed."""\n\nhint = "no"\nloses = ["double"]\n\n\ndef double(x):\n    return x**3\n'
    )
    seeded = SeededExercise(built, 0)
    cubed, gone = (variant(name, "def double(x):\n    return x**3\n") for name in ("cubed", "gone"))
    for one in (cubed, gone):
        cache.save(seeded, one, SuiteResult(RESULTS))
    forget_other_mistakes(cache.course, seeded)  # type: ignore[arg-type]
    assert cache.load(seeded, cubed)
    assert cache.load(seeded, gone) is None


def test_without_a_folder_nothing_is_kept(built: Built, mistake: Variant) -> None:
    cache = MistakeCache(None)
    cache.save(SeededExercise(built, 0), mistake, SuiteResult(RESULTS))
    assert cache.load(SeededExercise(built, 0), mistake) is None


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.UNGRADED])
def test_a_run_that_hangs_on_the_moment_is_not_kept(
    cache: MistakeCache, built: Built, mistake: Variant, status: Status
) -> None:
    slow = TestResult("test_slow", "slow", 1, status)
    cache.save(SeededExercise(built, 0), mistake, SuiteResult({"double": [*RESULTS["double"], slow]}))
    assert cache.load(SeededExercise(built, 0), mistake) is None


def test_where_nothing_can_be_written_it_is_tried_again_and_no_fault(
    tmp_path: Path, built: Built, mistake: Variant
) -> None:
    (tmp_path / "file").touch()
    cache = MistakeCache(tmp_path / "file")
    cache.save(SeededExercise(built, 0), mistake, SuiteResult(RESULTS))
    assert cache.load(SeededExercise(built, 0), mistake) is None
