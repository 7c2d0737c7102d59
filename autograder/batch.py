"""Grades many submissions side by side, and records them one after the other."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from autograder.build import Built
from autograder.course import Course
from autograder.errors import ConfigError
from autograder.evaluate import Evaluation, Grader
from autograder.gradebook import RecordError, record, record_refused
from autograder.notebook import find_notebook, has_links
from autograder.pool import spread
from autograder.report import Finding
from autograder.reports import save_report

_UNSAFE_NAME = "[]*?{}"  # nbgrader takes a student's name for a pattern


@dataclass(frozen=True)
class Outcome:
    """What came of one student's submission. `refused` says why nothing was graded or recorded."""

    student: str
    evaluation: Evaluation | None = None
    refused: str = ""

    @property
    def needs_a_person(self) -> bool:
        return self.evaluation is None or bool(self.refused or self.evaluation.report.ungraded)


@dataclass(frozen=True)
class _Job:
    student: str
    path: Path
    findings: tuple[Finding, ...]


def submitting_students(course: Course, slug: str) -> list[str]:
    """Every student who has a folder for the assignment, sorted."""
    return sorted(folder.parent.name for folder in map(Path, glob.glob(str(course.submitted("*", slug)))))


def grade_students(
    course: Course, built: Built, students: Sequence[str], jobs: int, done: Callable[[Outcome], None]
) -> list[Outcome]:
    """Grade and record the submissions of `students` with `jobs` processes; the outcomes in the order of `students`.

    done: called with each outcome as it is recorded. Errors: ConfigError for a student without a folder.
    """
    outcomes: dict[str, Outcome] = {}
    for outcome in _outcomes(course, built, students, jobs):
        recorded = _recorded(course, built.exercise.slug, outcome)
        outcomes[recorded.student] = recorded
        done(recorded)
    return [outcomes[student] for student in students]


def _outcomes(course: Course, built: Built, students: Sequence[str], jobs: int) -> Iterator[Outcome]:
    ready = []
    for student in students:
        job = _prepare(course, built.exercise.slug, student)
        if isinstance(job, Outcome):
            yield job
        else:
            ready.append(job)
    for job, evaluation in spread(ready, jobs, _evaluate, _tools, course.grader(), built, course.seed):
        refused = "" if evaluation else "the grader's own process ended; grade again"
        yield Outcome(job.student, evaluation, refused)


def _prepare(course: Course, slug: str, student: str) -> _Job | Outcome:
    """What keeps nbgrader's own `autograde` from a submission, too, belongs in `notebook` and `SubmissionExporter`."""
    folder = course.submitted(student, slug)
    if set(student) & set(_UNSAFE_NAME):
        return Outcome(student, refused=f"nbgrader cannot hold a student's name with {' '.join(_UNSAFE_NAME)}")
    if not folder.is_dir():
        raise ConfigError(f"{student} has handed in nothing: there is no folder {folder}")
    if not _has_readable_timestamp(folder):
        return Outcome(student, refused="timestamp.txt holds no date; write one, or delete the file")
    if has_links(folder):
        return Outcome(student, refused="there is a symbolic link among the files; remove it")
    path, findings = find_notebook(folder, slug)
    if path is None:
        return Outcome(student, refused=findings[0].message)
    return _Job(student, path, findings)


def _has_readable_timestamp(folder: Path) -> bool:
    file = folder / "timestamp.txt"
    try:
        text = file.read_text().strip() if file.exists() else ""
        return not text or parse_utc(text) is not None
    except (ValueError, OverflowError, AttributeError):
        return False


def _recorded(course: Course, slug: str, outcome: Outcome) -> Outcome:
    if outcome.evaluation is None:
        record_refused(course, slug, outcome.student)
        return outcome
    save_report(course, outcome.student, outcome.evaluation.report)
    try:
        record(course, slug, outcome.student, outcome.evaluation)
    except RecordError as error:
        return Outcome(outcome.student, outcome.evaluation, f"nbgrader could not record it: {error}")
    return outcome


_Tools = tuple[Grader, Built, int]


def _tools(*tools: Any) -> _Tools:
    """Each process has a grader of its own, whose warm parent ends with it."""
    return tools


def _evaluate(tools: _Tools, job: _Job) -> Evaluation:
    grader, built, seed = tools
    return grader.evaluate(job.path.read_bytes(), built, seed, job.findings)
