"""Where submissions are evaluated: processes of this machine, a grader that is warm, or (`cluster`) other machines."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from contextlib import closing
from typing import Protocol

from autograder.batch.job import GraderBench, Job, Refusal
from autograder.batch.pool import spread
from autograder.exercise.packages import require_packages
from autograder.grading.evaluate import Assignment, Evaluation, Grader, GraderConfig
from autograder.isolation.doctor import require_safety
from autograder.isolation.protection import Protection

Evaluations = Generator[tuple[Job, Evaluation | Refusal]]

_ENDED = Refusal("the grader's own process ended over it, twice; `autograder doctor` and a look at the memory may help")


class Evaluator(Protocol):
    """One of them."""

    def require_fit(self, protection: Protection, packages: Collection[str]) -> None:
        """Errors: ConfigError where it can be told beforehand that students' code cannot be shut in there, or that one
        of the exercise's packages is not there.
        """

    def evaluate(self, jobs: Sequence[Job], assignment: Assignment, config: GraderConfig) -> Evaluations:
        """Each job with its evaluation, as they are done.

        Errors: ConfigError where the place is not fit for the work.
        """


class Processes:
    """At most so many processes of this machine. A single one is this one."""

    def __init__(self, most: int) -> None:
        self._most = most

    def require_fit(self, protection: Protection, packages: Collection[str]) -> None:
        """As `Evaluator` has it: this machine is tried."""
        require_packages(packages)
        require_safety(protection)

    def evaluate(self, jobs: Sequence[Job], assignment: Assignment, config: GraderConfig) -> Evaluations:
        """As `Evaluator` has it."""
        with closing(spread(jobs, self._most, GraderBench.of, assignment, config)) as evaluations:
            for job, evaluation in evaluations:
                yield job, evaluation or _ENDED


class WarmGrader:
    """A grader in this process that somebody else has started and will close; how it protects is its own."""

    def __init__(self, grader: Grader) -> None:
        self._grader = grader

    def require_fit(self, protection: Protection, packages: Collection[str]) -> None:
        """As `Evaluator` has it. It tries each process anyway."""
        require_packages(packages)

    def evaluate(self, jobs: Sequence[Job], assignment: Assignment, config: GraderConfig) -> Evaluations:
        """As `Evaluator` has it."""
        bench = GraderBench(assignment, self._grader)
        for job in jobs:
            yield job, bench.work(job)
