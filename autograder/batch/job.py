"""One submission as a job for another process, and its evaluation there: in `pool`'s processes or `cluster`'s workers.

Those processes load this module; it loads nothing of nbgrader's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.errors import ConfigError
from autograder.exercise.built import Built
from autograder.grading.evaluate import Evaluation, Grader
from autograder.report import Finding

Tools = tuple[Grader, Built, int]


@dataclass(frozen=True)
class Job:
    """A student's notebook file. findings: from before it was read. key: what its evaluation depends on, in `kept`."""

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


def start(*tools: Any) -> Tools:
    """Each process has a grader of its own, whose warm parent ends with it."""
    return tools


def work(tools: Tools, job: Job) -> Evaluation:
    """The work of a pool's process."""
    grader, built, seed = tools
    raw, findings = job.read()
    return grader.evaluate(raw, built, seed, findings)
