"""Pass rates and discrimination, beside the same numbers computed in another way."""

from __future__ import annotations

import statistics

import pytest

from autograder.course.item_analysis import FEW, Item, items_of_tasks, items_of_tests
from autograder.report import Report, Status
from tests.course.graded_class import outcome, report, task_result

P, F, C, U = Status.PASSED, Status.FAILED, Status.CARRIED, Status.UNGRADED


def taken(*statuses: Status) -> Report:
    """A student with these outcomes: three tests of a task of 6 points, and one of a task of 2."""
    *first, last = statuses
    double = task_result(
        "double", 6, *(outcome(f"test_{n}", one) for n, one in enumerate(first)), earned=_points(6, first)
    )
    return report(double, task_result("quadruple", 2, outcome("test_q", last), earned=_points(2, [last])))


def _points(points: float, statuses: list[Status]) -> float | None:
    return None if U in statuses else points * sum(one in (P, C) for one in statuses) / len(statuses)


def named(items: list[Item], name: str) -> Item:
    return next(one for one in items if one.name == name)


CLASS = [taken(P, P, P, P), taken(P, F, F, P), taken(F, F, P, F), taken(P, P, F, C), taken(P, F, F, F)]


def test_the_discrimination_of_a_test_is_its_correlation_with_the_points_of_all_others() -> None:
    passed = [1, 1, 0, 1, 1]  # test_0, worth 2 points as each of its task
    others = [(2 + 2 + 2) / 6, 2 / 6, 2 / 6, (2 + 2) / 6, 0 / 6]
    found = named(items_of_tests(CLASS), "test_0")
    assert found.discrimination == pytest.approx(statistics.correlation(passed, others))
    assert (found.points, found.rated, found.passed) == (2, 5, 0.8)


def test_that_of_a_task_is_the_correlation_of_its_points_with_those_of_the_other_tasks() -> None:
    found = named(items_of_tasks(CLASS), "double")
    shares, others = [1, 1 / 3, 1 / 3, 2 / 3, 1 / 3], [1, 1, 0, 1, 0]
    assert found.discrimination == pytest.approx(statistics.correlation(shares, others))
    assert found.mean == pytest.approx(statistics.mean(shares))
    assert found.passed == 0.2


def test_carried_counts_as_passed_and_ungraded_not_at_all() -> None:
    found = named(items_of_tests([taken(P, P, P, C), taken(P, P, P, U)]), "test_q")
    assert (found.rated, found.passed, found.statuses[U]) == (1, 1, 1)


def test_what_all_pass_or_fail_is_told_and_has_no_discrimination() -> None:
    items = items_of_tests([taken(P, F, P, P), taken(P, F, F, F)])
    assert [one.name for one in items if one.is_passed_by_all] == ["test_0"]
    assert [one.name for one in items if one.is_failed_by_all] == ["test_1"]
    assert named(items, "test_0").discrimination is None


def test_a_test_is_called_backwards_only_in_a_class_that_is_large_enough() -> None:
    strange = [taken(P, P, P, F), taken(F, F, F, P)]
    assert not any(one.is_backwards for one in items_of_tests(strange))
    assert named(items_of_tests(strange * FEW), "test_q").is_backwards


def test_one_student_and_tasks_that_a_person_grades_have_no_correlation() -> None:
    items = items_of_tasks([CLASS[0]])
    assert [(one.name, one.mean, one.discrimination) for one in items] == [
        ("double", 1, None), ("quadruple", 1, None), ("explain", None, None),
    ]  # fmt: skip
    assert items_of_tasks([]) == items_of_tests([]) == []
