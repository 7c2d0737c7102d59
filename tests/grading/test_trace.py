"""What is kept for recognising known mistakes is bounded, whatever comes back; so is the grader's memory."""

from __future__ import annotations

import gc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
import torch

from autograder.exercise.definition import Exercise
from autograder.grading.mistakes import alike
from autograder.grading.suite import Suite
from autograder.grading.trace import ROOM, Recorder, Unkept, is_cut, size_of
from autograder.isolation.replies import Raised, Value
from autograder.isolation.sandbox import Sandbox
from tests.sessions import GRADE, play

MIB = 1 << 20
TOML = 'title = "Large"\n\n[tasks.t]\ntitle = "T"\npoints = 4\nfunctions = ["f"]\n'
SUITE = '''
import pytest

from autograder.testing import assert_close, task


@task("t")
@pytest.mark.parametrize("number", range(30))
def test_f(student, number):
    """a large result"""
    kept = student.f(number)
    assert_close(kept, float(number))
'''


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(MIB),
        torch.zeros(MIB, dtype=torch.float64),
        "x" * (8 * MIB),
        [float(one) for one in range(260_000)],
        {str(one): None for one in range(80_000)},
        [[] for _ in range(131_000)],
        Value((np.zeros(MIB // 2), {"a": [np.zeros(MIB // 2)]})),
        Raised("ValueError", "ValueError", "x" * (8 * MIB), ""),
    ],
    ids=["array", "tensor", "text", "numbers", "dict", "lists", "answer", "error"],
)
def test_the_size_is_that_of_the_memory(value: object) -> None:
    assert size_of(value) == pytest.approx(8 * MIB, rel=0.25)
    assert size_of(value, MIB) > MIB


def test_beyond_the_room_something_is_kept_that_is_like_nothing() -> None:
    recorder = Recorder(room=1000)
    for item in (Value(1.0), Value(np.zeros(10_000)), Value(2.0)):
        recorder.put_down(item)
    assert recorder.trace == [Value(1.0), Unkept(), Value(2.0)]
    assert is_cut({"test": recorder.trace})
    assert not is_cut({"test": [Value(1.0)]})
    assert not alike(recorder.trace, recorder.trace)


@pytest.mark.broad
def test_thirty_wrong_results_of_twenty_mebibytes_leave_the_graders_memory_bounded(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "exercise.toml").write_text(TOML)
    exercise = Exercise(tmp_path)
    exercise.hidden_suite.write_text(SUITE)
    work = "import numpy as np\ndef f(number):\n    return np.full(20 << 17, float(number))"
    gc.collect()
    gc.disable()  # circles that hold results would grow until it runs
    before = psutil.Process().memory_info().rss
    try:
        with play(sandbox, work, GRADE) as session, Suite(exercise) as suite:
            outcome = suite.run(session, SimpleNamespace(), 0)
            grown = psutil.Process().memory_info().rss - before
    finally:
        gc.enable()
    assert is_cut(outcome.traces)
    assert size_of([*outcome.traces.values()]) < ROOM + MIB
    assert grown < ROOM + 60 * MIB
