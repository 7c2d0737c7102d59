"""Hypothesis in a hidden suite: examples that hang on the course's seed alone, and nothing left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import pytest

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise
from autograder.grading.suite import Suite
from autograder.grading.suite_hypothesis import steady_examples
from autograder.grading.suite_plugin import SuiteResult
from autograder.isolation.replies import Value
from autograder.isolation.sandbox import Sandbox
from autograder.report import Status
from autograder.submission.notebook import Cell, Role
from tests.sessions import SMALL, play

TOML = 'title = "One task"\n\n[tasks.one]\ntitle = "One"\npoints = 4\nfunctions = ["f"]\n'
SUITE = '''
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.testing import assert_close, assert_exact, require, task


class TestAll:
    @task("one")
    @settings(max_examples=30)
    @given(number=st.floats(-1e6, 1e6), text=st.text(max_size=5))
    def test_any(self, student, rng, number, text):
        """any number"""
        assert_close(student.f(number, text + str(rng.integers(9))), number)


@task("one")
def test_what_it_was_given(student):
    """what it was given"""
    require(student.seen() is None, "it was given something")
'''
WORK = "given = []\n\ndef f(x, *_):\n    given.append([x, *_])\n    return x\n\ndef seen():\n    return given"
CHECK = Cell("code", "check()", Role.GRADE, "one")
ALONE = f"""
import json, sys
from pathlib import Path
from types import SimpleNamespace

from autograder.exercise.definition import Exercise, Limits
from autograder.grading.suite import Suite
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.submission.notebook import Cell, Role

cells = (Cell("code", {WORK!r}), Cell("code", "check()", Role.GRADE, "one"))
with Sandbox(["numpy"]) as sandbox:
    for folder in sys.argv[1:]:
        with Session(sandbox, Limits(), cells, {{}}) as session, Suite(Exercise(Path(folder))) as suite:
            traces = suite.run(session, SimpleNamespace(), 3).traces.get("test_what_it_was_given", [])
        print(json.dumps([[item.value for item in traces], "hypothesis" in sys.modules]))
"""


def write(folder: Path, suite: str) -> Exercise:
    (folder / "exercise.toml").write_text(TOML)
    (folder / "test_hidden.py").write_text(suite)
    return Exercise(folder)


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return write(tmp_path, SUITE)


def run(sandbox: Sandbox, exercise: Exercise, seed: int = 3, work: str = WORK) -> SuiteResult:
    with play(sandbox, work, CHECK, limits=SMALL) as session, Suite(exercise) as collected:
        return collected.run(session, SimpleNamespace(), seed)


def given(found: SuiteResult) -> list[object]:
    (seen,) = found.traces["test_what_it_was_given"]
    assert isinstance(seen, Value)
    return list(seen.value)


PLAIN = """\
from autograder.testing import require, task


@task("one")
def test_one(student):
    '''one'''
    require(student.f(1) == 1, "no")
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[list[object], bool]]:
    """What a process of its own gives to the student's, and whether it has loaded Hypothesis: first with a suite that
    does not use it, then with one that does.
    """
    folders = []
    for suite in (PLAIN, SUITE):
        folders.append(write(tmp_path_factory.mktemp("exercise"), suite).folder)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    command = [sys.executable, "-c", ALONE, *map(str, folders)]
    ran = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, timeout=120, check=True)
    assert list(elsewhere.iterdir()) == []
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    return [(traces[0] if traces else [], has_loaded) for traces, has_loaded in found]


def test_the_seed_says_which_examples_there_are(sandbox: Sandbox, exercise: Exercise) -> None:
    first = given(run(sandbox, exercise))
    assert len(first) >= 30
    assert given(run(sandbox, exercise)) == first
    assert given(run(sandbox, exercise, seed=4)) != first


def test_a_suite_that_is_collected_once_gives_every_student_the_same(sandbox: Sandbox, exercise: Exercise) -> None:
    with Suite(exercise) as collected:
        seen = []
        for _ in range(2):
            with play(sandbox, WORK, CHECK, limits=SMALL) as session:
                seen.append(given(collected.run(session, SimpleNamespace(), 3)))
    assert seen[0] == seen[1]


def test_another_process_gives_the_same_and_leaves_nothing_behind(
    sandbox: Sandbox, exercise: Exercise, alone: list[tuple[list[object], bool]]
) -> None:
    """It has loaded fewer modules, from whose sources Hypothesis would draw numbers."""
    assert alone[1] == (given(run(sandbox, exercise)), True)


def test_where_no_suite_uses_it_nothing_is_loaded(alone: list[tuple[list[object], bool]]) -> None:
    assert alone[0] == ([], False)


def test_where_it_is_not_installed_a_suite_that_uses_it_says_so(
    sandbox: Sandbox, exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ExerciseError, match="import of hypothesis halted"):
        run(sandbox, exercise)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("return 0.0 if x > 1 else x", Status.FAILED),
        ("given.append(x)\n    return x if len(given) != 9 else x + 1", Status.FAILED),
        ("raise ValueError", Status.ERROR),
        ("given.append(x)\n    if len(given) == 9:\n        raise ValueError\n    return x", Status.ERROR),
        ("while x > 1: pass\n    return x", Status.TIMEOUT),
        ("raise NotImplementedError('not written yet')", Status.MISSING),
    ],
    ids=["wrong", "wrong once", "error", "error once", "endless", "stub"],
)
def test_an_example_that_fails_is_the_students_however_often_it_does(
    sandbox: Sandbox, exercise: Exercise, body: str, status: Status
) -> None:
    found = run(sandbox, exercise, work=f"given = []\n\ndef f(x, *_):\n    {body}\n\ndef seen():\n    return None")
    assert found.results["one"][0].status is status


def test_the_settings_of_this_process_are_as_they_were(exercise: Exercise) -> None:
    before = hypothesis.settings.get_current_profile_name()
    with steady_examples(exercise.hidden_suite):
        assert hypothesis.settings.get_current_profile_name() == "autograder"
        assert hypothesis.settings().database is None
    assert hypothesis.settings.get_current_profile_name() == before
