"""How far each student's submission of an exercise has come: handed in, graded, given back."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.reports import load_report, refusal, reported_students
from autograder.errors import ConfigError, ExerciseError
from autograder.standing import Standing, Worth
from autograder.tree import UnsafeError, look


class Stage(StrEnum):
    """Where one student's submission stands."""

    FINAL = "final"
    HAND_GRADING = "waits by hand"
    UNGRADED = "ungraded"
    REFUSED = "refused"
    TO_GRADE = "not graded yet"
    CHANGED = "changed since it was graded"
    ABSENT = "handed in nothing"


_STAGES = {
    Worth.FINAL: Stage.FINAL,
    Worth.HAND_GRADING: Stage.HAND_GRADING,
    Worth.UNGRADED: Stage.UNGRADED,
}


@dataclass(frozen=True)
class Progress:
    """One exercise. stages: by student, sorted. handed_in, given_back: how many have a submission, how many a page."""

    exercise: str
    stages: dict[str, Stage]
    handed_in: int
    given_back: int

    @property
    def counts(self) -> Counter[Stage]:
        """How many submissions stand where."""
        return Counter(self.stages.values())

    @property
    def graded(self) -> int:
        """How many have a score, if only so far, of what is there now."""
        return self.counts[Stage.FINAL] + self.counts[Stage.HAND_GRADING]


def progress_of(course: Course, gradebook: Gradebook, slug: str, recorded: dict[str, Standing]) -> Progress:
    """recorded: what `recorded_standings` gives of the class."""
    submitting = set(course.submitting_students(slug))
    reported = set(reported_students(course.root, slug))
    everybody = sorted({one.id for one in gradebook.students} | submitting | reported)
    given_back = [student for student in everybody if any(course.feedback(student, slug).glob("*.html"))]

    version = _version(course, slug)

    def stage(student: str) -> Stage:
        if refusal(course.root, slug, student):
            return Stage.REFUSED
        if student not in reported:
            return Stage.TO_GRADE if student in submitting else Stage.ABSENT
        if student in submitting and _has_changed(course, slug, student, version):
            return Stage.CHANGED
        return _STAGES[recorded[student].worth] if student in recorded else Stage.UNGRADED

    stages = {student: stage(student) for student in everybody}
    return Progress(slug, stages, len(submitting), len(given_back))


def _version(course: Course, slug: str) -> str:
    """Of the exercise now; nothing where it cannot be told."""
    with suppress(ExerciseError):
        return course.assignment_folder(slug).version
    return ""


def _has_changed(course: Course, slug: str, student: str, version: str) -> bool:
    """Whether the submission or the exercise is other than the one that the report is of, if the report says so."""
    try:
        report = load_report(course.root, slug, student)
        now = look(course.submitted(student, slug), trusted=course.submissions).digest if report.submission else ""
    except ConfigError:
        return False
    except (UnsafeError, OSError):
        return True
    return now != report.submission or bool(now and version and version != report.version)
