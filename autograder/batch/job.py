"""One submission as a job, and what a process evaluates jobs with.

Evaluating processes load this module; it loads nothing of nbgrader's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.errors import ConfigError
from autograder.exercise.built import SeededExercise
from autograder.grading.evaluate import Evaluation, Grader, GraderConfig
from autograder.report import Finding


@dataclass(frozen=True)
class Job:
    """A student's notebook file. findings: from before it was read. key: what its evaluation depends on."""

    student: str
    path: Path
    findings: tuple[Finding, ...]
    key: str = ""

    def read(self) -> tuple[bytes, tuple[Finding, ...]]:
        """What `Grader.evaluate` takes of it. Errors: ConfigError where the file cannot be read any more."""
        try:
            return self.path.read_bytes(), self.findings
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be read: {error}") from None


class GraderBench:
    """What one process evaluates jobs with."""

    def __init__(self, seeded: SeededExercise, grader: Grader) -> None:
        self._seeded = seeded
        self._grader = grader

    @classmethod
    def of(cls, seeded: SeededExercise, config: GraderConfig) -> GraderBench:
        """One with a grader of its own."""
        return cls(seeded, Grader(config))

    def work(self, job: Job) -> Evaluation:
        raw, findings = job.read()
        return self._grader.evaluate(raw, self._seeded, findings)

    def close(self) -> None:
        self._grader.close()
