"""What else counts in a task that has lost points: work that stands further down, and errors carried forward.

A careful reader looks at the whole notebook before taking points away. Two things are looked at. Where a cell after
the check defines anew what the task's functions are or use, the task is tested in the notebook's final state, too, and
the better of the two counts; what the course's own cells define there does not. Then, where a task that this one needs
has lost points, the lost tests are run once more with right functions in the places of the needed ones: what passes now
is carried, right in itself.

Each round of the carrying has a fresh process, in which the tests of a replaced task are not run: so what the right
functions say of one task is of no use in its own tests, and nothing is remembered from one round to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace
from nbformat import NotebookNode

from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.grading.suite_plugin import SuiteResult
from autograder.isolation.process import ProcessEnded
from autograder.isolation.session import FINAL, Session
from autograder.report import Finding, Status, TestResult
from autograder.submission.cells import words

_NOT_LOST = (Status.PASSED, Status.CARRIED, Status.UNGRADED)
_NOTHING = SuiteResult({})

Tests = list[TestResult]


@dataclass(frozen=True)
class Seen:
    """What the second look came to: the results that count, and in which state of the notebook a task was best."""

    suite: SuiteResult
    states: dict[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


# --- work that stands further down ---


def look_further_down(
    session: Session, built: Built, first: SuiteResult, test: Callable[[Mapping[str, str]], SuiteResult]
) -> Seen:
    """With the better result of each task that is defined anew after its grade cell.

    test: runs the tests of tasks, each in the given state of the session. Errors: as it raises.
    """
    lost = [task for task, tests in first.results.items() if _lost_names(tests)]
    given, tasks = _given(session, built.release), built.exercise.tasks
    changed = {task: cells for task in lost if (cells := _changes(session, task, tasks[task].names, given))}
    if not changed:
        return Seen(first)
    final = test(dict.fromkeys(changed, FINAL))
    better = [task for task in changed if _passed(final.results[task]) > _passed(first.results[task])]
    findings = tuple(Finding("later", f"`{task}` counts as {_defined_in(changed[task])} it") for task in better)
    return Seen(_with(first, final, better), dict.fromkeys(better, FINAL), findings)


def _given(session: Session, release: NotebookNode) -> set[int]:
    """The numbers of the cells that are the course's own, unchanged."""
    texts = {words(cell.source) for cell in release.cells if not cell.metadata.get("nbgrader", {}).get("solution")}
    return {run.number for index, run in session.runs.items() if words(session.cells[index].source) in texts}


def _changes(session: Session, task: str, names: Collection[str], given: Collection[int]) -> list[int]:
    """The cells that define anew what a task asks for, or what that uses; none where a given one does the former."""
    try:
        changed = session.changes(task, FINAL, names)
    except ProcessEnded:
        return []
    if any(changed.get(name) in given for name in names):
        return []
    return sorted({*changed.values()} - {*given})


def _defined_in(cells: Collection[int]) -> str:
    names = " and ".join(map(str, cells))
    return f"cell {names} defines" if len(cells) == 1 else f"cells {names} define"


def _with(first: SuiteResult, final: SuiteResult, tasks: Collection[str]) -> SuiteResult:
    """The first result with what the final one has of these tasks."""
    names = {test.name for task in tasks for test in first.results[task]}
    traces = {name: trace for name, trace in first.traces.items() if name not in names}
    return SuiteResult(
        first.results | {task: final.results[task] for task in tasks},
        traces | {name: trace for name, trace in final.traces.items() if name in names},
        first.distances | {name: far for name, far in final.distances.items() if name in names},
        first.dtypes,
    )


# --- errors carried forward ---


@dataclass(frozen=True)
class Round:
    """One round: the tasks whose functions are replaced by right ones, and the lost tests to run again, by task."""

    right: frozenset[str]
    lost: dict[str, list[str]]


def carry_forward(
    exercise: Exercise, first: SuiteResult, again: Callable[[Round], SuiteResult | None]
) -> dict[str, Tests]:
    """The tests of each task, those that pass in a round as CARRIED.

    The tasks that are wrong in themselves are found round by round: at first those that need no other that is lost.
    again: runs a round in a fresh process; None where there is no time left for it. Errors: as it raises.
    """
    results = dict(first.results)
    needs = {task: exercise.all_needs(task) for task in results}
    lost = _lost(results)
    passed = results.keys() - lost
    wrong = frozenset(task for task in lost if _is_unwritten(results[task]) or not lost & needs[task])
    while waiting := lost - wrong:
        # A cache has the form that its maker gave it: who makes or reads the cache of a wrong one is replaced with it.
        needed = frozenset[str]().union(*(needs[task] for task in wrong))
        right = wrong | {task for task in passed if task in needed or needs[task] & wrong}
        tried = [task for task in results if task in waiting and _may_be_right(exercise, task, right)]
        replayed = again(Round(right, {task: _lost_names(results[task]) for task in tried})) if tried else _NOTHING
        if replayed is None:
            break
        for task, tests in replayed.results.items():
            given = [name for name in exercise.tasks if name in wrong & needs[task]]
            results[task] = _carried(results[task], {test.name: test for test in tests}, given)
        lost = _lost(results)
        wrong |= {task for task in waiting & lost if lost & needs[task] <= wrong}
    return results


def _may_be_right(exercise: Exercise, task: str, right: Collection[str]) -> bool:
    """Not where nothing of its own would be left to test: two tasks may ask for one function."""
    replaced = {name for one in right for name in exercise.tasks[one].names}
    return not set(exercise.tasks[task].names) <= replaced


def _carried(tests: Tests, again: Mapping[str, TestResult], given: Collection[str]) -> Tests:
    return [_judged_anew(test, again[test.name], given) if test.name in again else test for test in tests]


def _judged_anew(test: TestResult, again: TestResult, given: Collection[str]) -> TestResult:
    if again.status is Status.MISSING:  # its own function, too
        return again
    if again.status is not Status.PASSED:
        return test
    message = f"right, given a right {' and '.join(f'`{task}`' for task in given)}"
    return replace(test, status=Status.CARRIED, message=message, fault="")


def _lost(results: Mapping[str, Tests]) -> frozenset[str]:
    return frozenset(task for task, tests in results.items() if _lost_names(tests))


def _lost_names(tests: Tests) -> list[str]:
    return [test.name for test in tests if test.status not in _NOT_LOST]


def _is_unwritten(tests: Tests) -> bool:
    return all(test.status is Status.MISSING for test in tests)


def _passed(tests: Tests) -> float:
    return sum(test.weight for test in tests if test.status is Status.PASSED)
