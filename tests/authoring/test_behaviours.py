"""Mutants of behaviour of the small exercise: told, alive on a suite that does not look, dead on one that does."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.authoring.behaviours import Behaviour
from autograder.authoring.kept import Kept
from autograder.authoring.rounds import Round
from autograder.authoring.trials import Trial
from autograder.authoring.verify import Survivor, Verification
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from autograder.report import Status
from tests.tiny import BEHAVIOURS, write_tiny_exercise

LOOKING = """

import numpy as np
import pytest
from autograder.testing import assert_exact

ODD = [
    np.zeros((2, 3)), np.ones((2, 3)), np.full((2, 3), 0.7), np.full((1, 3), 2.0), np.array([[2.0], [3.0]]),
    1e3 * np.arange(1.0, 7.0), 1e-9 * np.arange(1.0, 7.0), 0.0,
]


@task("double")
@pytest.mark.parametrize("x", ODD)
def test_odd_inputs(student, x):
    \"\"\"other inputs\"\"\"
    assert_exact(student.double(x), 2 * x, "double(x)")


@task("double")
def test_two_calls(student):
    \"\"\"two calls\"\"\"
    x, other = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 6.0])
    kept = student.put(x)
    for _ in range(2):
        assert_exact(student.double(kept), 2 * x, "double(x)")
    assert_exact(student.get(kept), x, "x after the calls")
    first = student.double(x)
    assert_exact(student.double(other), 2 * other, "double(other)")
    assert_exact(student.double(first), 4 * x, "double(double(x))")
"""
# What a test that calls a function from outside its process cannot see, or not of arrays that cross as they do.
UNSEEN = {
    "*: leaves the modes of NumPy or torch changed",
    "*: remembers results by which object an argument is",
    "*: takes its arrays to be contiguous",
}


def tried(folder: Path, suite: str = "") -> Verification:
    write_tiny_exercise(folder)
    with (folder / "test_hidden.py").open("a") as file:
        file.write(suite)
    built = build(Exercise(folder))
    return Verification(built, Round(built, Kept(built, None), 1, lambda: None).trials([]))


@pytest.fixture(scope="module")
def unlooking(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    return tried(tmp_path_factory.mktemp("exercises") / "tiny")


@pytest.fixture(scope="module")
def looking(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    return tried(tmp_path_factory.mktemp("exercises") / "tiny", LOOKING)


def kinds(survivors: list[Survivor], function: str) -> set[str]:
    mutants = [one.mutant for one in survivors if one.mutant.function == function]
    return {one.kind for one in mutants if isinstance(one, Behaviour)}


def test_what_a_suite_does_not_look_for_lives(unlooking: Verification) -> None:
    assert kinds(unlooking.survivors, "double") | kinds(unlooking.survivors, "quadruple") == set(BEHAVIOURS)


def test_what_a_suite_looks_for_is_dead(looking: Verification) -> None:
    assert kinds(looking.survivors, "double") <= UNSEEN
    assert "*: clips its arguments at 5" in kinds(looking.survivors, "quadruple")


def test_they_are_told_in_words_with_the_points_at_stake(unlooking: Verification) -> None:
    told = list(map(str, unlooking.survivors))
    assert "a `double` that drops axes of length 1 from its result keeps all 4 points" in told
    assert "a `quadruple` that is wrong where its first array is constant keeps all 3 points" in told
    points = [one.points for one in unlooking.survivors]
    assert points == sorted(points, reverse=True)


def test_a_kind_can_be_allowed_for_the_whole_exercise_or_for_one_function(unlooking: Verification) -> None:
    folder = unlooking.built.exercise.folder
    lines = ('"*: clips its arguments at 5"', '"double: drops axes of length 1 from its result"', '"*: is no kind"')
    (folder / "equivalent.toml").write_text("".join(f'{line} = "may be"\n' for line in lines))
    marked = Verification(unlooking.built, unlooking.trials)
    gone = {str(one.mutant) for one in unlooking.survivors} - {str(one.mutant) for one in marked.survivors}
    (folder / "equivalent.toml").unlink()
    assert gone == {
        "a `double` that clips its arguments at 5",
        "a `quadruple` that clips its arguments at 5",
        "a `double` that drops axes of length 1 from its result",
    }
    assert [one for one in marked.problems if "equivalent.toml" in one] == [
        "equivalent.toml marks what is no living mutant: *: is no kind"
    ]


def test_an_odd_result_fails_tests_in_words(unlooking: Verification) -> None:
    odd = [
        one
        for one in unlooking.trials
        if " returns " in one.solution.name and one.solution.name not in unlooking.living
    ]
    assert {one.solution.name for one in odd} >= {
        f"double: returns {what}" for what in ("None", "a text", "NaN", "an array of objects", "a huge array")
    }
    for trial in odd:
        lost = [test for test in trial.tests if test.status is not Status.PASSED]
        assert lost
        assert all(test.message and test.status is not Status.UNGRADED for test in lost)


def test_a_test_that_breaks_on_an_odd_result_is_a_problem(tmp_path: Path) -> None:
    careless = '''

@task("double")
def test_careless(student):
    """a careless test"""
    require(student.double(2.0) < 5.0, "too much")
'''
    verification = tried(tmp_path / "tiny", careless)
    faults = [one for trial in verification.trials for one in broken(trial)]
    assert "a `double` that returns a text: test_careless" in faults


def broken(trial: Trial) -> list[str]:
    return [f"{trial.solution.mutant}: {test.name}" for test in trial.tests if test.status is Status.UNGRADED]
