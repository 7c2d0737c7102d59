"""Points and statuses, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exercise.definition import Exercise
from autograder.grading.score import score, ungraded
from autograder.report import Status, TaskResult, TestResult
from tests.tiny import TOML

PASSED, FAILED, ERROR, TIMEOUT = Status.PASSED, Status.FAILED, Status.ERROR, Status.TIMEOUT
CRASHED, MISSING, CARRIED, UNGRADED, BY_HAND = (
    Status.CRASHED,
    Status.MISSING,
    Status.CARRIED,
    Status.UNGRADED,
    Status.BY_HAND,
)


@pytest.fixture
def exercise(tiny_exercise: Path) -> Exercise:
    return Exercise(tiny_exercise)


def worth(folder: Path, points: float) -> Exercise:
    """The small exercise with other points for its first task."""
    (folder / "exercise.toml").write_text(TOML.replace("points = 4", f"points = {points!r}"))
    return Exercise(folder)


def outcomes(*statuses: Status, weights: tuple[float, ...] = ()) -> list[TestResult]:
    return [
        TestResult(f"test_{number}", "it", weight, status)
        for number, (status, weight) in enumerate(zip(statuses, weights or (1.0,) * len(statuses), strict=True))
    ]


def first(exercise: Exercise, results: list[TestResult]) -> TaskResult:
    return score(exercise, {"double": results, "quadruple": outcomes(PASSED)})[0]


@pytest.mark.parametrize(
    ("statuses", "weights", "earned"),
    [
        ([PASSED], (1,), 4.0),
        ([PASSED] * 3, (0.1, 0.2, 0.3), 4.0),
        ([FAILED], (1,), 0.0),
        ([PASSED, FAILED], (1, 1), 2.0),
        ([PASSED, FAILED], (3, 1), 3.0),
        ([PASSED, FAILED], (1, 3), 1.0),
        ([PASSED, FAILED, FAILED], (1, 1, 1), 1.33),
        ([PASSED, PASSED, FAILED], (1, 1, 1), 2.67),
        ([PASSED, FAILED], (0.5, 1.5), 1.0),
        ([PASSED, ERROR, TIMEOUT, CRASHED, MISSING], (1, 1, 1, 1, 1), 0.8),
        ([PASSED, FAILED], (1, 999), 0.0),
    ],
)
def test_a_task_earns_its_points_times_the_weight_that_passed(
    exercise: Exercise, statuses: list[Status], weights: tuple[float, ...], earned: float
) -> None:
    assert first(exercise, outcomes(*statuses, weights=weights)).earned == earned


@pytest.mark.parametrize("points", [0.125, 1 / 3, 0.005, 2.675, 10])
def test_a_task_that_passed_has_exactly_its_points(tiny_exercise: Path, points: float) -> None:
    result = first(worth(tiny_exercise, points), outcomes(PASSED, PASSED, PASSED, weights=(0.1, 0.7, 3)))
    assert (result.earned, result.points) == (points, points)


@given(st.lists(st.tuples(st.sampled_from([PASSED, FAILED, MISSING]), st.floats(0.01, 100)), min_size=1, max_size=20))
def test_no_task_earns_less_than_nothing_or_more_than_its_points(
    tiny: Exercise, weighted: list[tuple[Status, float]]
) -> None:
    statuses, weights = zip(*weighted, strict=True)
    result = first(tiny, outcomes(*statuses, weights=weights))
    assert result.earned is not None
    assert 0 <= result.earned <= result.points
    assert (result.earned == round(result.earned, 2)) or result.status is PASSED
    assert (result.status is PASSED) == (set(statuses) == {PASSED})


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    folder = tmp_path_factory.mktemp("exercises")
    (folder / "exercise.toml").write_text(TOML)
    return Exercise(folder)


ORDER = [UNGRADED, CRASHED, TIMEOUT, ERROR, FAILED, MISSING, CARRIED, PASSED]


@pytest.mark.parametrize("place", range(len(ORDER)), ids=ORDER)
def test_the_gravest_status_of_the_tests_is_the_tasks(exercise: Exercise, place: int) -> None:
    assert first(exercise, outcomes(*ORDER[place:][::-1])).status is ORDER[place]
    assert first(exercise, outcomes(*ORDER[place:])).status is ORDER[place]


@pytest.mark.parametrize("place", range(len(ORDER)), ids=ORDER)
def test_one_ungraded_test_takes_the_number_away_and_nothing_else_does(exercise: Exercise, place: int) -> None:
    assert (first(exercise, outcomes(PASSED, *ORDER[place:])).earned is None) == (ORDER[place] is UNGRADED)


def test_a_task_without_any_test_result_is_ungraded_and_no_zero(exercise: Exercise) -> None:
    result = first(exercise, [])
    assert (result.status, result.earned) == (UNGRADED, None)


@pytest.mark.parametrize(("share", "earned"), [(1.0, 4.0), (0.5, 3.0), (0.0, 2.0), (1 / 3, 2.67)])
def test_of_what_is_carried_the_courses_share_counts(exercise: Exercise, share: float, earned: float) -> None:
    result = score(exercise, {"double": outcomes(PASSED, CARRIED)}, share)[0]
    assert (result.status, result.earned, result.hint) == (CARRIED, earned, "")


def test_a_task_may_have_a_share_of_its_own(tiny_exercise: Path) -> None:
    (tiny_exercise / "exercise.toml").write_text(TOML.replace("points = 4", "points = 4\ncarried = 0.25"))
    assert score(Exercise(tiny_exercise), {"double": outcomes(CARRIED)})[0].earned == 1.0


def test_results_are_in_the_order_of_the_file_and_by_hand_has_no_number(exercise: Exercise) -> None:
    results = score(exercise, {"quadruple": outcomes(PASSED), "double": outcomes(PASSED)})
    assert [(result.name, result.title, result.points, result.earned, result.status) for result in results] == [
        ("double", "Double", 4, 4.0, PASSED),
        ("quadruple", "Double twice", 3, 3.0, PASSED),
        ("explain", "Explain it", 2, None, BY_HAND),
    ]


def test_a_result_keeps_its_tests(exercise: Exercise) -> None:
    results = outcomes(PASSED, FAILED)
    assert first(exercise, results).tests == tuple(results)


@pytest.mark.parametrize(
    ("status", "hint"),
    [(FAILED, "Add x to itself."), (ERROR, "Add x to itself."), (PASSED, ""), (UNGRADED, "")],
)
def test_a_hint_is_for_work_that_is_wrong(exercise: Exercise, status: Status, hint: str) -> None:
    """A task that we could not grade may well be right."""
    assert first(exercise, outcomes(status)).hint == hint


def test_where_nothing_could_be_graded_no_task_has_a_number(exercise: Exercise) -> None:
    assert [(result.name, result.points, result.earned, result.status) for result in ungraded(exercise)] == [
        ("double", 4, None, UNGRADED),
        ("quadruple", 3, None, UNGRADED),
        ("explain", 2, None, BY_HAND),
    ]
