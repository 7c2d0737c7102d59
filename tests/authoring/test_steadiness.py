"""A hidden suite that is not the same twice is told, with what it hangs on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from autograder.authoring.kept import Kept
from autograder.authoring.steadiness import unsteady
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from tests.authoring.test_verify import replaced
from tests.tiny import HIDDEN, write_tiny_exercise

CLOCK = "what it asks for hangs on the clock, or random numbers without a seed; take those of the fixture `rng`"
GLOBAL = "what it asks for hangs on the global random state, from which others draw, too; take the fixture `rng`"
HASH = "what it asks for hangs on the order of a set or a hash, which each process has its own of; sort it"
HEAD = """\
import os
import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

NAMES = {f"name {number}" for number in range(20)}
"""
TEST = '''
@task("double")
def test_{name}(student, rng):
    """something more"""
    student.double({argument})
'''
UNSTEADY = {
    "clock": ("time.time()", CLOCK),
    "clock_of_another_kind": ("float(time.perf_counter_ns())", CLOCK),
    "no_seed": ("np.random.default_rng().random()", CLOCK),
    "system": ("float(int.from_bytes(os.urandom(4)))", CLOCK),
    "address": ("float(id(object()) and time.monotonic())", CLOCK),
    "global_python": ("random.random()", GLOBAL),
    "global_numpy": ("np.random.rand(3)", GLOBAL),
    "set": ("[float(name[5:]) for name in NAMES][0]", HASH),
    "hash": ("float(hash('a name') % 1000)", HASH),
    "process_number": ("float(os.getpid())", HASH),
}
STEADY = {
    "rng": "rng.random(3)",
    "own_seed": "np.random.default_rng(3).random()",
    "sorted": "[float(name[5:]) for name in sorted(NAMES)][0]",
    "one_of_python": "random.Random(3).random()",
}
EXAMPLES = '''
@task("double")
@given(st.floats(0, 1))
def test_examples(student, number):
    """many numbers"""
    student.double(number)
'''
PARAMETERS = '''
@task("double")
@pytest.mark.parametrize("number", [random.random()])
def test_each(student, number):
    """a number"""
    student.double(number)
'''
NOISE = """\
    noise = time.perf_counter_ns() % 1000 if np.ndim(x) else np.random.default_rng().random()
    return double(double(x)) + noise
"""
NOISY = '''
@task("quadruple")
def test_one_number(student):
    """four times a number"""
    student.quadruple(2.0)
'''


@pytest.fixture(scope="module")
def unsteady_exercise(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A suite with every kind of test, and a reference that is steady in one function: all are told in one run."""
    folder = write_tiny_exercise(tmp_path_factory.mktemp("exercises") / "tiny")
    replaced("notebook.py", "import numpy as np", "import time\n\nimport numpy as np")(folder)
    replaced("notebook.py", "    return double(double(x))\n", NOISE)(folder)
    tests = {name: argument for name, (argument, _) in UNSTEADY.items()} | STEADY
    suite = "".join(TEST.format(name=name, argument=argument) for name, argument in tests.items())
    (folder / "test_hidden.py").write_text(HEAD + HIDDEN + suite + EXAMPLES + PARAMETERS + NOISY)
    return build(Exercise(folder))


@pytest.fixture(scope="module")
def told(unsteady_exercise: Built) -> list[str]:
    return unsteady(unsteady_exercise, 2, Kept(unsteady_exercise, unsteady_exercise.exercise.folder.parent))


def test_each_test_is_told_with_what_it_hangs_on(told: list[str]) -> None:
    for name, (_, cause) in UNSTEADY.items():
        assert f"`test_{name}` is not the same for one seed: {cause}" in told


def test_no_other_test_is_told(told: list[str]) -> None:
    others = {"test_four_times", "test_one_number", "test_each[0.8444218515250481]"}
    assert {one.split("`")[1] for one in told} == others | {f"test_{name}" for name in UNSTEADY}
    assert len(told) == len(UNSTEADY) + len(others)


def test_a_test_whose_name_changes_is_told(told: list[str]) -> None:
    (one,) = (one for one in told if one.startswith("`test_each["))
    assert one.startswith("`test_each[0.8444218515250481]` is not the same for one seed: it is not always there, which")
    assert one.endswith("hangs on the global random state, from which others draw, too; take the fixture `rng`")


@pytest.mark.parametrize("test", ["four_times", "one_number"], ids=["the clock", "random numbers"])
def test_a_reference_that_gives_other_results_is_told(told: list[str], test: str) -> None:
    sentence = (
        f"`test_{test}` is not the same for one seed: the reference gives other results for the same inputs; "
        "it draws random numbers, looks at the clock, or remembers"
    )
    assert sentence in told


@pytest.mark.usefixtures("told")
def test_a_suite_that_is_not_steady_is_looked_at_again(
    unsteady_exercise: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no more >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    kept = Kept(unsteady_exercise, unsteady_exercise.exercise.folder.parent)
    assert unsteady(unsteady_exercise, 1, kept) == ["the reference could not be graded twice: no more"]


@pytest.mark.slow
def test_a_suite_that_cannot_be_run_is_told(tiny_exercise: Path) -> None:
    with (tiny_exercise / "test_hidden.py").open("a") as suite:
        suite.write("\n1 / 0\n")
    built = build(Exercise(tiny_exercise))
    (one,) = unsteady(built, 2, Kept(built, None))
    assert one.startswith("the reference could not be graded twice: ")
