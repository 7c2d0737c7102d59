"""The last evaluation of each student, and what of it has been recorded: so a second run does only what is new."""

from __future__ import annotations

import json

import msgspec
import nbformat

from autograder.course.course import Course
from autograder.course.last_run import as_text
from autograder.exercise.packages import versions_of
from autograder.grading.evaluate import Assignment, Evaluation
from autograder.report import Report
from autograder.store import Store, key_of
from autograder.submission.handed_in import HandedIn

_EVALUATED, _RECORDED = "evaluations", "recorded"


class EvaluationCache:
    """What is kept of one assignment of a course."""

    def __init__(self, course: Course, assignment: Assignment) -> None:
        self._store = Store(course.root, assignment.slug)
        how = course.protection.as_text(), course.carried
        self._circumstances = [assignment.version, versions_of(assignment.packages), assignment.seed, *how]
        self._configuration = as_text(course.config)

    def key(self, found: HandedIn) -> str:
        """What the evaluation of a submission depends on, as a digest: its files, the assignment, the circumstances."""
        return key_of(self._circumstances, found.findings, found.digest)

    def load(self, student: str, key: str) -> Evaluation | None:
        """The student's evaluation under a key, if there is one that can be read."""
        try:
            kept = json.loads(self._store.load(_EVALUATED, student, key) or b"")
            notebooks = {name: nbformat.from_dict(notebook) for name, notebook in kept["notebooks"].items()}
            return Evaluation(msgspec.convert(kept["report"], Report), notebooks)
        except (ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError):
            return None

    def save(self, student: str, key: str, evaluation: Evaluation) -> None:
        """Keep an evaluation; one that a fault of ours had a part in is made anew the next time."""
        if not evaluation.report.ungraded:
            kept = {"report": msgspec.to_builtins(evaluation.report), "notebooks": dict(evaluation.notebooks)}
            self._store.save(_EVALUATED, student, key, json.dumps(kept).encode())

    def is_recorded(self, student: str, key: str) -> bool:
        """Whether the gradebook has had this, under the course's present configuration."""
        return self._store.load(_RECORDED, student, self._recorded(key)) is not None

    def note_recorded(self, student: str, key: str) -> None:
        self._store.save(_RECORDED, student, self._recorded(key), b"")

    def note_unrecorded(self, student: str) -> None:
        """What follows may end in the middle. Errors: OSError."""
        self._store.forget(_RECORDED, student)

    def keep_only(self, students: list[str]) -> None:
        """Forget all others."""
        for shelf in (_EVALUATED, _RECORDED):
            self._store.keep_only(shelf, students)

    def _recorded(self, key: str) -> str:
        return key_of(key, self._configuration)
