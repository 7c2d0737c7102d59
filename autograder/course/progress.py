"""How far each student's submission of an exercise has come: handed in, graded, given back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.reports import refusal, reported_students
from autograder.course.standings import Recorded, Worth


class Stage(StrEnum):
    """Where one student's submission stands."""

    FINAL = "final"
    HAND_GRADING = "waits by hand"
    UNGRADED = "ungraded"
    REFUSED = "refused"
    TO_GRADE = "not graded yet"
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
        """How many have a score, if only so far."""
        return self.counts[Stage.FINAL] + self.counts[Stage.HAND_GRADING]


def progress_of(course: Course, gradebook: Gradebook, slug: str, recorded: dict[str, Recorded]) -> Progress:
    """recorded: what `recorded_submissions` gives of the class."""
    submitting = set(course.submitting_students(slug))
    reported = set(reported_students(course.root, slug))
    everybody = sorted({one.id for one in gradebook.students} | submitting | reported)
    pages = [course.feedback(student, slug) / f"{slug}.html" for student in everybody]

    def stage(student: str) -> Stage:
        if refusal(course.root, slug, student):
            return Stage.REFUSED
        if student not in reported:
            return Stage.TO_GRADE if student in submitting else Stage.ABSENT
        return _STAGES[recorded[student].worth] if student in recorded else Stage.UNGRADED

    stages = {student: stage(student) for student in everybody}
    return Progress(slug, stages, len(submitting), sum(page.is_file() for page in pages))
