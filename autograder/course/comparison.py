"""What a regrade changes: the gradebook as it is and as it would be, student by student and task by task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from autograder.course.score_log import entries_of
from autograder.report import Report, Status, TaskResult
from autograder.standing import Entry, Standing

TENTHS = 10


@dataclass(frozen=True)
class TestChange:
    """A hidden test that came out otherwise; None where there is no such test."""

    __test__ = False  # pytest collects classes of this name

    name: str
    before: Status | None
    after: Status | None


@dataclass(frozen=True)
class TaskChange:
    """A task, or the penalty, of which the gradebook would have something else; None where it has no such task."""

    task: str
    before: Entry | None
    after: Entry | None
    tests: tuple[TestChange, ...] = ()

    @property
    def is_felt(self) -> bool:
        """Whether the score that counts or its maximum would be another; what is under a score by hand is neither."""
        if self.before is None or self.after is None:
            return True
        return (self.before.earned, self.before.points) != (self.after.earned, self.after.points)

    @property
    def is_lost(self) -> bool:
        """Whether there is a score and would be none."""
        if self.before is None or self.after is None:
            return False
        return self.before.earned is not None and self.after.earned is None

    @property
    def kept(self) -> str:
        """What is to be known of a score by hand that stays as it is."""
        if not (self.before and self.after) or self.after.manual is None:
            return ""
        if self.before.points != self.after.points:
            was = f"{self.before.points:g} points and are out of {self.after.points:g} now"
            return f"the {self.after.manual:g} points by hand were out of {was}"
        return f"the {self.after.manual:g} points by hand stay"


@dataclass(frozen=True)
class StudentChange:
    """A student of whom the gradebook would have something else."""

    student: str
    tasks: list[TaskChange]


@dataclass(frozen=True)
class Comparison:
    """A class before and after. said: what became of the tasks, in sentences.

    looked_at: how many students were compared. remarks: what is to be known of students that is not for the exercise,
    as that they would not be graded. faults: what of ours failed so that a score would go, and of how many students.
    """

    changes: list[StudentChange]
    looked_at: int
    said: list[str] = field(default_factory=list)
    remarks: dict[str, str] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)

    @property
    def concerned(self) -> int:
        """How many students would have another score or maximum."""
        return sum(any(task.is_felt for task in one.tasks) for one in self.changes)


def task_changes(
    before: Standing | None,
    after: Standing | None,
    old: Report | None,
    new: Report | None,
    renamed: Mapping[str, str],
) -> list[TaskChange]:
    """What is other of one student. old, new: the reports, if there are some. renamed: new names by the old ones."""
    was = {renamed.get(task, task): entry for task, entry in (entries_of(before) if before else {}).items()}
    becomes = entries_of(after) if after else {}
    tests = {renamed.get(task.name, task.name): task for task in (old.tasks if old else ())}
    tested = {task.name: task for task in (new.tasks if new else ())}
    return [
        TaskChange(task, was.get(task), becomes.get(task), tuple(_test_changes(tests.get(task), tested.get(task))))
        for task in {**becomes, **was}
        if _differ(was.get(task), becomes.get(task))
    ]


def faults_of(changes: Iterable[TaskChange], new: Report | None) -> set[str]:
    """What of ours failed where a task has a score and would be ungraded, in words."""
    ungraded = {task.name: task for task in new.ungraded} if new else {}
    lost = [ungraded[change.task] for change in changes if change.is_lost and change.task in ungraded]
    return {fault for task in lost for fault in _faults(task, new.fault if new else "")}


def distribution(standings: Mapping[str, Standing]) -> list[int]:
    """How many of those who have a score have which tenth of the points that were counted for them."""
    counts = [0] * TENTHS
    for one in standings.values():
        if not one.is_ungraded:
            counts[min(TENTHS - 1, int(TENTHS * one.earned / (one.counted or 1)))] += 1
    return counts


def _differ(before: Entry | None, after: Entry | None) -> bool:
    """A task without a score that came or went changes nothing for the student."""
    if before is None or after is None:
        there = before or after
        return there is not None and (there.earned is not None)
    return before != after


def _faults(task: TaskResult, of_all: str) -> list[str]:
    of_tests = [f"{test.name}: {_last_line(test.fault)}" for test in task.tests if test.fault]
    return of_tests or [_last_line(of_all) or f"{task.name} could not be graded"]


def _last_line(fault: str) -> str:
    """Where it is a traceback, that says what happened."""
    return (fault.rstrip().splitlines() or [""])[-1].strip()


def _test_changes(before: TaskResult | None, after: TaskResult | None) -> Iterator[TestChange]:
    """None of a task that came or went: that is the reason."""
    if before is None or after is None:
        return
    was = {test.name: test.status for test in before.tests}
    becomes = {test.name: test.status for test in after.tests}
    for name in {**becomes, **was}:
        if was.get(name) != becomes.get(name):
            yield TestChange(name, was.get(name), becomes.get(name))
