"""What is wrong with a hidden suite, by the trial of a solution: what it should have come to, and did not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from autograder.authoring.behaviours import Behaviour
from autograder.authoring.trials import MUTANTS, RIGHT, Kind, Trial
from autograder.exercise.definition import Exercise
from autograder.grading.score import score
from autograder.report import Status, TaskResult


@dataclass(frozen=True)
class Problem:
    """One reason to reject an exercise, and the tasks that it is about; none for all of it."""

    text: str
    tasks: tuple[str, ...]

    def __str__(self) -> str:
        return self.text


Some = TypeVar("Some", bound=Problem)


def by_weight(problems: Iterable[Some], exercise: Exercise) -> list[Some]:
    """Each once; those about the same tasks together, where most points are at stake first."""
    order = list(exercise.tasks)

    def place(problem: Some) -> tuple[float, list[int]]:
        return -points_of(problem.tasks, exercise), [order.index(task) for task in problem.tasks]

    return sorted(dict.fromkeys(problems), key=place)


def points_of(tasks: Collection[str], exercise: Exercise) -> float:
    """What the tasks are worth together."""
    return sum(exercise.tasks[task].points for task in tasks)


def judged(trial: Trial, exercise: Exercise) -> Iterator[Problem]:
    """What a trial says against the suite; whether a mutant lives is another matter."""
    label = trial.solution.label
    broken = [(task, test) for task, test in trial.by_task if test.status is Status.UNGRADED]
    if trial.fault:
        yield Problem(f"not every solution could be tried: {_last_line(trial.fault)}", ())
    elif broken:
        behaviour = f" on {trial.solution.mutant}" if isinstance(trial.solution.mutant, Behaviour) else ""
        task, test = broken[0]
        yield Problem(f"`{test.name}` breaks{behaviour}: {_last_line(test.fault)}", (task,))
    elif trial.solution.kind in RIGHT:
        for task, test in trial.by_task:
            if test.status is not Status.PASSED:
                yield Problem(f"{label} should pass `{test.name}`: {test.status}: {test.message}", (task,))
    elif trial.solution.kind is Kind.MISUSE:
        yield from _untold(trial)
    elif trial.solution.kind not in MUTANTS:
        yield from _wrong_scores(trial, exercise)


def _untold(trial: Trial) -> Iterator[Problem]:
    """Where what is not allowed was not told, or could not be tried, as its name has a slip."""
    odd = [test for test in trial.tests if test.status not in (Status.PASSED, Status.NOT_ALLOWED)]
    told = f": {odd[0].status}: {odd[0].message}" if odd else ""
    if odd or trial.is_perfect:
        yield Problem(f"it is not told where {trial.solution.label}, which is not allowed{told}", tuple(trial.results))


def scored(trial: Trial, exercise: Exercise) -> list[TaskResult]:
    """The tasks whose tests were run."""
    return [task for task in score(exercise, trial.results) if task.name in trial.results]


def _last_line(fault: str) -> str:
    """What a trace says in the end."""
    return fault.strip().splitlines()[-1] if fault.strip() else ""


def _wrong_scores(trial: Trial, exercise: Exercise) -> Iterator[Problem]:
    solution, tasks = trial.solution, scored(trial, exercise)
    if solution.variant:
        lost = [task.name for task in tasks if task.earned != task.points]
        due = [name for name in solution.variant.loses if name in trial.results]
        if odd := set(lost) ^ set(due):
            told = f"{solution.label} should lose {_listed(due)}, it loses {_listed(lost)}"
            yield Problem(told, tuple(task.name for task in tasks if task.name in odd))
        return
    written = {one for name in solution.solved or () for one in exercise.tasks[name].names}
    for task in tasks:
        is_due = written.issuperset(exercise.tasks[task.name].names)
        worth = task.points if is_due else 0.0
        if task.earned != worth:
            told = f"{solution.label}: `{task.name}` gets {task.earned:g} points instead of {worth:g}"
            yield Problem(told, (task.name,))


def _listed(names: Collection[str]) -> str:
    return ", ".join(names) or "nothing"
