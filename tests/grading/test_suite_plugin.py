"""The names of tests: one test, one name, whatever classes they are in."""

from __future__ import annotations

import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise
from autograder.grading.suite import Suite
from autograder.grading.suite_plugin import SuiteResult
from autograder.isolation.replies import Value
from autograder.isolation.sandbox import Sandbox
from autograder.report import Status
from autograder.submission.notebook import Cell, Role
from tests.sessions import QUICK, play

TOML = '[tasks.one]\ntitle = "One"\npoints = 4\nfunctions = ["f"]\n'
IMPORTS = "import pytest\n\nfrom autograder.testing import Mismatch, assert_close, task\n"
IN_CLASSES = '''
class TestSmall:
    @task("one")
    def test_f(self, student, rng):
        """a small number"""
        assert_close(student.f(float(rng.integers(2**40)) / 2**40), -1.0)


class TestLarge:
    @task("one")
    @pytest.mark.parametrize("scale", [1, 2], ids=["a::b", "c"])
    def test_f(self, student, rng, scale):
        """a large number"""
        assert_close(student.f(scale * (1.0 + float(rng.integers(2**40)))), -1.0)

    class TestEven(object):
        @task("one")
        def test_f(self, student):
            """an even number"""
            assert_close(student.f(4.0), 4.0)


class TestAgain(TestSmall):
    pass
'''
ALONE = '''
@task("one")
def test_f(student):
    """a number"""
    assert_close(student.f(3.0), 2.0)
'''


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    (tmp_path / "exercise.toml").write_text('title = "One task"\n\n' + TOML)
    return Exercise(tmp_path)


def run(sandbox: Sandbox, exercise: Exercise, suite: str) -> SuiteResult:
    """What a suite comes to for a notebook whose `f` gives back what it is given."""
    exercise.hidden_suite.write_text(IMPORTS + suite)
    check = Cell("code", "check()", Role.GRADE, "one")
    with play(sandbox, "def f(x):\n    return x", check, limits=QUICK) as session, Suite(exercise) as collected:
        return collected.run(session, SimpleNamespace(), 3)


def test_tests_of_one_name_in_several_classes_are_kept_apart(sandbox: Sandbox, exercise: Exercise) -> None:
    found = run(sandbox, exercise, IN_CLASSES + ALONE)
    names = [
        "TestSmall::test_f",
        "TestLarge::test_f[a::b]",
        "TestLarge::test_f[c]",
        "TestLarge::TestEven::test_f",
        "TestAgain::test_f",
        "test_f",
    ]
    assert sorted(test.name for test in found.results["one"]) == sorted(names)
    assert sorted(found.distances) == sorted(names)
    assert found.distances["TestLarge::TestEven::test_f"] == [0.0]
    assert found.distances["test_f"] == [pytest.approx(1 / 2e-9, rel=0.6)]
    assert sorted(found.traces) == sorted(name for name in names if "Even" not in name)
    assert found.traces["test_f"] == [Value(3.0)]


def test_tests_of_one_name_in_several_classes_have_random_inputs_of_their_own(
    sandbox: Sandbox, exercise: Exercise
) -> None:
    found = run(sandbox, exercise, IN_CLASSES)
    for name, given in (("TestSmall::test_f", lambda n: n / 2**40), ("TestLarge::test_f[c]", lambda n: 2 * (1 + n))):
        rng = np.random.default_rng([3, zlib.crc32(name.encode())])
        assert found.traces[name] == [Value(given(float(rng.integers(2**40))))]
    assert found.traces["TestSmall::test_f"] != found.traces["TestAgain::test_f"]


@pytest.mark.parametrize(
    ("suite", "fault"),
    [
        (ALONE + ALONE, "test_f is defined twice, in line 6 and in line 11; only one of them would run"),
        (IN_CLASSES + IN_CLASSES.replace("TestLarge", "TestHuge"), "TestSmall is defined twice"),
        (
            IN_CLASSES.replace("    class TestEven", '    def test_f(self):\n        """x"""\n\n    class TestEven'),
            "test_f",
        ),
        (ALONE + ALONE.replace('"one"', '"two"'), "test_f belongs to no automatic task"),
    ],
    ids=["functions", "classes", "methods", "of another task"],
)
def test_a_test_that_another_one_replaces_is_a_fault_of_the_suite(
    sandbox: Sandbox, exercise: Exercise, suite: str, fault: str
) -> None:
    with pytest.raises(ExerciseError) as caught:
        run(sandbox, exercise, suite)
    assert fault in str(caught.value)


def test_helpers_and_branches_may_share_a_name(sandbox: Sandbox, exercise: Exercise) -> None:
    helpers = "\ndef given():\n    return 1\n\n\ndef given():\n    return 2\n\n"
    branches = f"\nif True:\n{ALONE.replace(chr(10), chr(10) + '    ')}\nelse:\n    def test_f():\n        pass\n"
    found = run(sandbox, exercise, helpers + branches)
    assert [(test.name, test.status) for test in found.results["one"]] == [("test_f", Status.FAILED)]
