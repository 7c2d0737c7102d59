"""From test results to points: the only place where a score is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from autograder.exercise.definition import Exercise, Task
from autograder.report import Status, TaskResult, TestResult

# The first of these that a task's tests have is the task's own status. One that is not listed would count as passed.
_PRECEDENCE = (Status.UNGRADED, Status.CRASHED, Status.TIMEOUT, Status.ERROR, Status.FAILED, Status.MISSING)
_MAY_BE_SKIPPED = (Status.ERROR, Status.FAILED)
_NOT_LOST = (Status.PASSED, Status.UNGRADED)


def score(exercise: Exercise, results: Mapping[str, Sequence[TestResult]]) -> tuple[TaskResult, ...]:
    """The results of all tasks, in the order of `exercise.toml`.

    A task's points times the share of its tests' weight that passed, rounded to hundredths. A task that failed while
    one that it needs did not pass keeps what it earned, and is called skipped: mending the other comes first.
    """
    tasks = {name: _score_task(name, task, results.get(name, ())) for name, task in exercise.tasks.items()}
    return tuple(_excused(result, tasks, exercise.tasks[name].needs) for name, result in tasks.items())


def ungraded(exercise: Exercise) -> tuple[TaskResult, ...]:
    """The results where nothing could be graded."""
    return tuple(
        TaskResult(name, task.title, task.points, None, Status.BY_HAND if task.by_hand else Status.UNGRADED)
        for name, task in exercise.tasks.items()
    )


def _score_task(name: str, task: Task, tests: Sequence[TestResult]) -> TaskResult:
    if task.by_hand:
        return TaskResult(name, task.title, task.points, None, Status.BY_HAND)
    found = {test.status for test in tests} or {Status.UNGRADED}
    status = next((status for status in _PRECEDENCE if status in found), Status.PASSED)
    earned = None if status is Status.UNGRADED else _points(task.points, tests)
    hint = "" if status in _NOT_LOST else task.hint
    return TaskResult(name, task.title, task.points, earned, status, hint, tests=tuple(tests))


def _points(points: float, tests: Sequence[TestResult]) -> float:
    passed = sum(test.weight for test in tests if test.status is Status.PASSED)
    total = sum(test.weight for test in tests)
    return points if passed == total else min(points, round(points * passed / total, 2))


def _excused(result: TaskResult, tasks: Mapping[str, TaskResult], needs: Sequence[str]) -> TaskResult:
    waits_for = tuple(name for name in needs if tasks[name].status not in _NOT_LOST)
    if result.status in _MAY_BE_SKIPPED and waits_for:
        return replace(result, status=Status.SKIPPED, waits_for=waits_for)
    return result
