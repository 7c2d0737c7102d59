"""What one student's file of an export is made from: the report with the points that count, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.reports import load_report, reported_students
from autograder.course.standings import recorded_standings, standing_of
from autograder.errors import ConfigError
from autograder.report import Report, Status, TaskResult, TestResult, amended
from autograder.standing import Standing, Worth


@dataclass(frozen=True)
class Result:
    """One submission. report, standing: with the gradebook's points; None where nothing was graded.

    reason: why nothing was. worth: what the score is worth.
    """

    exercise: str
    student: str
    report: Report | None = None
    standing: Standing | None = None
    reason: str = ""
    worth: Worth = Worth.UNGRADED

    @property
    def not_graded(self) -> TestResult:
        """What stands in the place of tests where nothing was graded."""
        return TestResult("submission", "", 1.0, Status.UNGRADED, self.reason)


def results(course: Course, gradebook: Gradebook, slug: str) -> Iterator[Result]:
    """Of every student who handed in the exercise or has a report, sorted."""
    recorded = recorded_standings(gradebook, slug)
    for student in sorted({*reported_students(course.root, slug), *course.submitting_students(slug)}):
        try:
            report = load_report(course.root, slug, student)
        except ConfigError as error:
            yield Result(slug, student, reason=str(error))
            continue
        if standing := standing_of(report, recorded.get(student)):
            yield Result(slug, student, amended(report, standing), standing, worth=recorded[student].worth)
        else:
            yield Result(slug, student, reason=f"what was graded of {student} is not in the gradebook; grade again")


def checks(task: TaskResult) -> tuple[TestResult, ...]:
    """The hidden tests of a task; the task itself where there is none, or a person has graded what they could not."""
    if task.tests and task.status is not Status.BY_HAND:
        return task.tests
    return (TestResult(task.name, task.title, 1.0, task.status, _said(task)),)


def _said(task: TaskResult) -> str:
    if task.earned is None:
        return "waits for a person"
    return f"{task.earned:g} of {task.points:g} points, given by a person"
