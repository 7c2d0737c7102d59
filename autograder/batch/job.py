"""One submission as a job, and what a process evaluates jobs with.

Evaluating processes load this module; it loads nothing of nbgrader's, which a plain assignment brings along.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograder.grading.evaluate import Assignment, Evaluation, Grader, GraderConfig
from autograder.report import Finding
from autograder.submission.handed_in import Contents, HandedIn
from autograder.tree import UnsafeError


@dataclass(frozen=True)
class Job:
    """A student's submission. key: what its evaluation depends on."""

    student: str
    handed_in: HandedIn
    key: str = ""

    def read(self, assignment: Assignment) -> tuple[Contents, tuple[Finding, ...]]:
        """What `Grader.evaluate` takes of it. Errors: UnsafeError where a file cannot be read any more."""
        return self.handed_in.contents(assignment.used_files(self.handed_in.files)), self.handed_in.findings


@dataclass(frozen=True)
class Refusal:
    """Why there is no evaluation, in words for a person."""

    reason: str


class GraderBench:
    """What one process evaluates jobs with."""

    def __init__(self, assignment: Assignment, grader: Grader) -> None:
        self._assignment = assignment
        self._grader = grader

    @classmethod
    def of(cls, assignment: Assignment, config: GraderConfig) -> GraderBench:
        """One with a grader of its own."""
        return cls(assignment, Grader(config))

    def work(self, job: Job) -> Evaluation | Refusal:
        try:
            contents, findings = job.read(self._assignment)
        except (UnsafeError, OSError) as error:
            return Refusal(str(error))
        return self._grader.evaluate(contents, self._assignment, findings)

    def close(self) -> None:
        self._grader.close()
