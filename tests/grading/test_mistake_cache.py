"""What a known mistake came to is the same when it is read from a file, and is found out anew where that is spoilt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.folder import Exercise
from autograder.exercise.variants import Variant, variant
from autograder.grading.mistake_cache import MistakeCache
from autograder.grading.suite import SuiteResult
from autograder.isolation.session import Missing, Raised, TooLarge, Value
from autograder.report import Status, TestResult
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
    Raised("ValueError", "no", "line 3"),
    Missing(),
    TooLarge(),
]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return build(Exercise(write_tiny_exercise(tmp_path / "tiny")))


@pytest.fixture
def mistake() -> Variant:
    return variant("squared", "def double(x):\n    return x * x\n")


@pytest.fixture
def kept(tmp_path: Path) -> MistakeCache:
    return MistakeCache(tmp_path / "kept")


def test_a_run_is_read_as_it_was_kept(kept: MistakeCache, built: Built, mistake: Variant) -> None:
    kept.save(built, 0, mistake, SuiteResult(RESULTS, {"test_one": TRACE}))
    run = kept.load(built, 0, mistake)
    assert run
    assert run.results == RESULTS
    assert repr(run.traces) == repr({"test_one": TRACE})
    value = run.traces["test_one"][0]
    assert isinstance(value, Value)
    assert value.value["values"][0].dtype == np.float64


def test_another_seed_mistake_or_exercise_is_another_run(kept: MistakeCache, built: Built, mistake: Variant) -> None:
    kept.save(built, 0, mistake, SuiteResult(RESULTS))
    assert kept.load(built, 1, mistake) is None
    assert kept.load(built, 0, replace(mistake, name="cubed")) is None
    suite = built.exercise.hidden_suite
    suite.write_text(suite.read_text() + "\n")
    assert kept.load(build(Exercise(built.exercise.folder)), 0, mistake) is None


@pytest.mark.parametrize("spoilt", [b"", b"\0" * 7, b"\0" * 8, b"\0\0\0\2\0\0\0\0{}", b"\0\0\0\4\0\0\0\0null", b"half"])
def test_a_spoilt_file_counts_as_none(kept: MistakeCache, built: Built, mistake: Variant, spoilt: bytes) -> None:
    kept.save(built, 0, mistake, SuiteResult(RESULTS, {"test_one": TRACE}))
    (file,) = (path for path in built.exercise.folder.parent.glob("kept/tiny/mistakes/*") if path.is_file())
    file.write_bytes(file.read_bytes()[:-3] if spoilt == b"half" else spoilt)
    assert kept.load(built, 0, mistake) is None


def test_without_a_folder_nothing_is_kept(built: Built, mistake: Variant) -> None:
    kept = MistakeCache(None)
    kept.save(built, 0, mistake, SuiteResult(RESULTS))
    assert kept.load(built, 0, mistake) is None


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.UNGRADED])
def test_a_run_that_hangs_on_the_moment_is_not_kept(
    kept: MistakeCache, built: Built, mistake: Variant, status: Status
) -> None:
    kept.save(
        built, 0, mistake, SuiteResult({"double": [*RESULTS["double"], TestResult("test_slow", "slow", 1, status)]})
    )
    assert kept.load(built, 0, mistake) is None


def test_where_nothing_can_be_written_it_is_tried_again_and_no_fault(
    tmp_path: Path, built: Built, mistake: Variant
) -> None:
    (tmp_path / "file").touch()
    kept = MistakeCache(tmp_path / "file")
    kept.save(built, 0, mistake, SuiteResult(RESULTS))
    assert kept.load(built, 0, mistake) is None
