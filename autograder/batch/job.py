"""One submission as a job, and what a process evaluates jobs with.

Evaluating processes load this module; it loads nothing of nbgrader's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autograder.exercise.built import SeededExercise
from autograder.grading.evaluate import Evaluation, Grader, GraderConfig
from autograder.report import Finding
from autograder.submission.handed_in import HandedIn
from autograder.tree import UnsafeError


@dataclass(frozen=True)
class Job:
    """A student's submission. key: what its evaluation depends on."""

    student: str
    handed_in: HandedIn
    key: str = ""

    def read(self) -> tuple[bytes, tuple[Finding, ...], Mapping[str, str]]:
        """What `Grader.evaluate` takes of it. Errors: UnsafeError where the file cannot be read any more."""
        return self.handed_in.content(), self.handed_in.findings, self.handed_in.beside


@dataclass(frozen=True)
class Refusal:
    """Why there is no evaluation, in words for a person."""

    reason: str


class GraderBench:
    """What one process evaluates jobs with."""

    def __init__(self, seeded: SeededExercise, grader: Grader) -> None:
        self._seeded = seeded
        self._grader = grader

    @classmethod
    def of(cls, seeded: SeededExercise, config: GraderConfig) -> GraderBench:
        """One with a grader of its own."""
        return cls(seeded, Grader(config))

    def work(self, job: Job) -> Evaluation | Refusal:
        try:
            raw, findings, beside = job.read()
        except (UnsafeError, OSError) as error:
            return Refusal(str(error))
        return self._grader.evaluate(raw, self._seeded, findings, beside)

    def close(self) -> None:
        self._grader.close()
