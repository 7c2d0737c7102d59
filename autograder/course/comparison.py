"""What a regrade changes: the gradebook as it is and as it would be, student by student and task by task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    """A student for whom something would change. remark: why, where it is not for the exercise."""

    student: str
    tasks: list[TaskChange]
    remark: str = ""


@dataclass(frozen=True)
class Comparison:
    """A class before and after. said: what became of the tasks, in sentences.

    refused: who would not be graded, and why. looked_at: how many students were compared.
    """

    changes: list[StudentChange]
    looked_at: int
    said: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


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


def _test_changes(before: TaskResult | None, after: TaskResult | None) -> Iterator[TestChange]:
    was = {test.name: test.status for test in before.tests} if before else {}
    becomes = {test.name: test.status for test in after.tests} if after else {}
    for name in {**becomes, **was}:
        if was.get(name) != becomes.get(name):
            yield TestChange(name, was.get(name), becomes.get(name))
