"""What one student's file of an export is made from: the report with the points that count, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.reports import load_report, reported_students
from autograder.course.standings import find_standing
from autograder.errors import ConfigError
from autograder.grading.feedback import amended
from autograder.report import Report, Status, TaskResult, TestResult
from autograder.standing import Standing


@dataclass(frozen=True)
class Result:
    """One submission. report: None where nothing was graded; `reason` says why. standing: what the gradebook has."""

    exercise: str
    student: str
    report: Report | None = None
    standing: Standing | None = None
    reason: str = ""


def results(course: Course, gradebook: Gradebook, slug: str) -> Iterator[Result]:
    """Of every student who handed in the exercise or has a report, sorted."""
    for student in sorted({*reported_students(course.root, slug), *course.submitting_students(slug)}):
        try:
            report = load_report(course.root, slug, student)
        except ConfigError as error:
            yield Result(slug, student, reason=str(error))
            continue
        if standing := find_standing(gradebook, student, report):
            yield Result(slug, student, amended(report, standing), standing)
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
