"""A hidden suite that is not the same twice is told, with what it hangs on."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.authoring.kept import Kept
from autograder.authoring.steadiness import unsteady
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from tests.authoring.test_verify import replaced, verified, write_fit_exercise
from tests.tiny import HIDDEN, write_tiny_exercise

CLOCK = "what it asks for hangs on the clock, or random numbers without a seed; take those of the fixture `rng`"
GLOBAL = "what it asks for hangs on the global random state, from which others draw, too; take the fixture `rng`"
HASH = "what it asks for hangs on the order of a set or a hash, which each process has its own of; sort it"
HEAD = """\
import os
import random
import time

import numpy as np
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


def told(folder: Path, suite: str) -> list[str]:
    (folder / "test_hidden.py").write_text(HEAD + "\nimport pytest\n" + HIDDEN + suite)
    return seen(folder)


def seen(folder: Path) -> list[str]:
    built = build(Exercise(folder))
    return unsteady(built, 2, Kept(built, None))


def test_each_test_is_told_with_what_it_hangs_on_and_no_other_one(tiny_exercise: Path) -> None:
    tests = {name: argument for name, (argument, _) in UNSTEADY.items()} | STEADY
    suite = "".join(TEST.format(name=name, argument=argument) for name, argument in tests.items())
    assert sorted(told(tiny_exercise, suite + EXAMPLES)) == sorted(
        f"`test_{name}` is not the same for one seed: {cause}" for name, (_, cause) in UNSTEADY.items()
    )


def test_a_test_whose_name_changes_is_told(tiny_exercise: Path) -> None:
    (one,) = told(tiny_exercise, PARAMETERS)
    assert one.startswith("`test_each[0.8444218515250481]` is not the same for one seed: it is not always there, which")
    assert one.endswith("hangs on the global random state, from which others draw, too; take the fixture `rng`")


@pytest.mark.parametrize("more", ["time.perf_counter_ns() % 1000", "np.random.default_rng().random()"])
def test_a_reference_that_gives_other_results_is_told(tiny_exercise: Path, more: str) -> None:
    replaced("notebook.py", "import numpy as np", "import time\n\nimport numpy as np")(tiny_exercise)
    replaced("notebook.py", "    return 2 * x", f"    return 2 * x + {more}")(tiny_exercise)
    assert sorted(told(tiny_exercise, "")) == [
        f"`test_{name}` is not the same for one seed: the reference gives other results for the same inputs; "
        "it draws random numbers, looks at the clock, or remembers"
        for name in ("four_times", "number", "random")
    ]


def test_a_suite_that_cannot_be_run_is_told(tiny_exercise: Path) -> None:
    (one,) = told(tiny_exercise, "\n1 / 0\n")
    assert one.startswith("the reference could not be graded twice: ")


def test_verify_rejects_a_suite_that_is_not_steady(tmp_path: Path) -> None:
    folder = write_fit_exercise(tmp_path)
    replaced("test_hidden.py", "rng.standard_normal(5)", "np.random.standard_normal(5)")(folder)
    replaced("test_hidden.py", "from autograder", "import numpy as np\n\nfrom autograder")(folder)
    assert f"`test_four_times` is not the same for one seed: {GLOBAL}" in verified(folder).problems


def test_the_small_exercise_is_steady(tmp_path: Path) -> None:
    assert seen(write_tiny_exercise(tmp_path / "tiny")) == []
