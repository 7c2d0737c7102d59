"""How each test and each task did in a class: classical item analysis.

The pass rate of a test is the share of those who passed it; carried counts as passed, as it is right in itself. Of a
task it is the share of those who have all its points.

Discrimination is the corrected item-total correlation: Pearson's r, over the students, of what they got for the item
and of the share of points that they got in all the other items (for a test, which is passed or not, that is the
point-biserial correlation). The item itself is left out of the total, or it would correlate with itself: S. Henrysson,
"Correction of item-total correlations in item analysis", Psychometrika 28 (1963), 211-218. Near 0 or below, those who
know more do not do better in the item: it may be broken, or ask for something else. Where all got the same, there is
none. What is ungraded counts in neither.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autograder.report import Report, Status, TaskResult, TestResult

Numbers = NDArray[np.float64]

_RIGHT = (Status.PASSED, Status.CARRIED)
FEW = 20  # students: of fewer, a correlation says little
_SAME = 1e-9  # shares that differ by less are the same


@dataclass(frozen=True)
class Item:
    """A task, or a test of it. rated: how many students have a result. mean: the share of its points that they got.

    passed: the pass rate. Both are None where nobody has a result.
    """

    task: str
    name: str
    title: str
    points: float
    statuses: Counter[Status]
    rated: int
    mean: float | None
    passed: float | None
    discrimination: float | None

    @property
    def is_failed_by_all(self) -> bool:
        """Whether nobody passes, of several."""
        return self.rated > 1 and self.passed == 0

    @property
    def is_passed_by_all(self) -> bool:
        """Whether nobody fails, of several."""
        return self.rated > 1 and self.passed == 1

    @property
    def is_backwards(self) -> bool:
        """Whether those who know less do better in it, as far as a class of this size can say so."""
        return self.rated >= FEW and self.discrimination is not None and self.discrimination < 0


def items_of_tasks(reports: Sequence[Report]) -> list[Item]:
    """Every task, in the order of the exercise."""
    tasks = {task.name: task for report in reports for task in report.tasks}
    known = [{task.name: task for task in report.tasks} for report in reports]
    shares = _matrix([[_share(one.get(name)) for name in tasks] for one in known], len(tasks))
    related = _discriminations(shares, np.array([task.points for task in tasks.values()]))
    return [
        _item(task, task.name, task.title, task.points, Counter(one[name].status for one in known if name in one), *of)
        for (name, task), *of in zip(tasks.items(), shares.T, related, strict=True)
    ]


def items_of_tests(reports: Sequence[Report]) -> list[Item]:
    """Every hidden test, task by task. It is worth its share of its task's points."""
    order = list(dict.fromkeys(task.name for report in reports for task in report.tasks))
    tests = {(task.name, test.name): (task, test) for one in reports for task in one.tasks for test in task.tests}
    keys = sorted(tests, key=lambda key: order.index(key[0]))
    known = [{(task.name, test.name): test.status for task in one.tasks for test in task.tests} for one in reports]
    right = _matrix([[_is_right(one.get(key)) for key in keys] for one in known], len(keys))
    points = [_points(*tests[key]) for key in keys]
    related = _discriminations(right, np.array(points))
    return [
        _item(tests[key][0], key[1], tests[key][1].tried, worth, Counter(one[key] for one in known if key in one), *of)
        for key, worth, *of in zip(keys, points, right.T, related, strict=True)
    ]


def _item(
    task: TaskResult,
    name: str,
    title: str,
    points: float,
    statuses: Counter[Status],
    shares: Numbers,
    discrimination: float | None,
) -> Item:
    rated = shares[~np.isnan(shares)]
    mean, passed = (float(rated.mean()), float((rated >= 1).mean())) if len(rated) else (None, None)
    return Item(task.name, name, title, points, statuses, len(rated), mean, passed, discrimination)


def _discriminations(shares: Numbers, points: Numbers) -> list[float | None]:
    """Of each item. shares: a row a student, a column an item, NaN where there is no result."""
    known = ~np.isnan(shares)
    earned, possible = np.where(known, shares, 0) * points, known * points
    others = possible.sum(axis=1, keepdims=True) - possible
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = np.where(others > 0, (earned.sum(axis=1, keepdims=True) - earned) / others, np.nan)
    return [_correlation(item, total) for item, total in zip(shares.T, rest.T, strict=True)]


def _correlation(item: Numbers, total: Numbers) -> float | None:
    both = ~np.isnan(item) & ~np.isnan(total)
    if both.sum() < 2 or min(np.ptp(item[both]), np.ptp(total[both])) < _SAME:
        return None
    return float(np.corrcoef(item[both], total[both])[0, 1])


def _matrix(rows: list[list[float]], columns: int) -> Numbers:
    return np.array(rows, dtype=float).reshape(len(rows), columns)


def _share(task: TaskResult | None) -> float:
    return math.nan if task is None or task.earned is None else task.earned / task.points


def _is_right(status: Status | None) -> float:
    return math.nan if status in (None, Status.UNGRADED) else float(status in _RIGHT)


def _points(task: TaskResult, test: TestResult) -> float:
    return task.points * test.weight / (sum(one.weight for one in task.tests) or 1)
