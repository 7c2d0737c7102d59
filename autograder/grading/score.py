"""From test results to points: the only place where a score is computed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, Task
from autograder.exercise.modules import file_with
from autograder.report import Status, TaskResult, TestResult

# The first of these that a task's tests have is the task's own status. One that is not listed would count as passed.
WORST_FIRST = (
    Status.UNGRADED,
    Status.CRASHED,
    Status.TIMEOUT,
    Status.ERROR,
    Status.FAILED,
    Status.NOT_ALLOWED,
    Status.MISSING,
    Status.CARRIED,
)
_WITHOUT_HINT = (Status.PASSED, Status.CARRIED, Status.UNGRADED, Status.NOT_ALLOWED)


def score(
    exercise: Exercise, results: Mapping[str, Sequence[TestResult]], carried: float = 1.0
) -> tuple[TaskResult, ...]:
    """The results of all tasks, in the order of `exercise.toml`.

    A task's points times the share of its tests' weight that passed, rounded to hundredths; of the weight of a test
    that is carried, `carried` counts, unless the task says otherwise.
    """
    return tuple(_score_task(name, task, results.get(name, ()), carried) for name, task in exercise.tasks.items())


def ungraded(exercise: Exercise) -> tuple[TaskResult, ...]:
    """The results where nothing could be graded."""
    return tuple(
        TaskResult(name, task.title, task.points, None, Status.BY_HAND if task.by_hand else Status.UNGRADED)
        for name, task in exercise.tasks.items()
    )


def absent(exercise: Exercise) -> tuple[TaskResult, ...]:
    """The results of a notebook that was not handed in with the others: as nbgrader has it, nothing is earned."""
    return tuple(
        TaskResult(name, task.title, task.points, 0.0, Status.MISSING) for name, task in exercise.tasks.items()
    )


def waiting_for(modules: Collection[str], built: Built, tasks: Iterable[TaskResult]) -> tuple[TaskResult, ...]:
    """The results where these modules may be there, but could not be read: what hangs on them is for a person."""
    exercise = built.exercise
    of_them = {
        name
        for name, task in exercise.tasks.items()
        if any(file_with(function, built.release) in modules for function in task.functions)
    }
    waiting = {task.name: task for task in ungraded(exercise) if of_them & {task.name, *exercise.all_needs(task.name)}}
    return tuple(waiting.get(task.name, task) if task.earned != task.points else task for task in tasks)


def _score_task(name: str, task: Task, tests: Sequence[TestResult], carried: float) -> TaskResult:
    if task.by_hand:
        return TaskResult(name, task.title, task.points, None, Status.BY_HAND)
    found = {test.status for test in tests} or {Status.UNGRADED}
    status = next((status for status in WORST_FIRST if status in found), Status.PASSED)
    share = carried if task.carried is None else task.carried
    earned = None if status is Status.UNGRADED else _points(task.points, tests, share)
    hint = "" if status in _WITHOUT_HINT else task.hint
    return TaskResult(name, task.title, task.points, earned, status, hint, tests=tuple(tests))


def _points(points: float, tests: Sequence[TestResult], carried: float) -> float:
    worth = {Status.PASSED: 1.0, Status.CARRIED: carried}
    passed = sum(test.weight * worth.get(test.status, 0.0) for test in tests)
    total = sum(test.weight for test in tests)
    return points if passed == total else min(points, round(points * passed / total, 2))
