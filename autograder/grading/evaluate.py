"""Grades one submission: notebook bytes in, report and graded notebook out. No gradebook, and no file but the store.

For the same bytes, exercise and seed the result is the same.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Self

from msgspec.structs import replace
from nbformat import NotebookNode

from autograder.errors import SandboxError
from autograder.exercise.built import SeededExercise
from autograder.grading.feedback import fill_in
from autograder.grading.mistake_cache import MistakeCache
from autograder.grading.mistakes import MistakeFinder
from autograder.grading.runner import Execution, Runner
from autograder.grading.score import score, ungraded
from autograder.isolation.protection import FULL, Protection
from autograder.report import Finding, Mistake, Report, Status, TaskResult
from autograder.scrub import plain_line
from autograder.submission.beside import findings_beside, unused_files
from autograder.submission.notebook import Submission, as_released, read_submission, to_notebook

_log = logging.getLogger(__name__)

_ATTEMPTS = 2


@dataclass(frozen=True)
class Evaluation:
    """What one submission came to. `notebook` is the mended submission with outputs and results in it."""

    report: Report
    notebook: NotebookNode


@dataclass(frozen=True, kw_only=True)
class GraderConfig:
    """What a grader is made of, for whichever process makes it.

    course: the course folder, in whose store known mistakes' results are kept; without one each grader finds them out
    anew. carried: what a test counts that passes with right functions in the places of wrong ones, from 0 to 1.
    """

    protection: Protection = FULL
    course: Path | None = None
    carried: float = 1.0


WITHOUT_COURSE = GraderConfig()


class Grader:
    """Evaluates submissions one after the other. Use as a context manager."""

    def __init__(self, config: GraderConfig = WITHOUT_COURSE) -> None:
        self._runner = Runner(config.protection)
        self._carried = config.carried
        cache = MistakeCache(config.course if config.protection.is_full else None)  # else students might write there
        self._mistakes = MistakeFinder(self._runner, cache)

    def evaluate(
        self,
        raw: bytes,
        seeded: SeededExercise,
        found: tuple[Finding, ...] = (),
        beside: Mapping[str, str] = MappingProxyType({}),
    ) -> Evaluation:
        """Grade the notebook file `raw`. Never raises for a submission: what goes wrong on our side is in the report.

        found: findings from before the file was read. beside: what was handed in beside it, as `HandedIn` has it.
        """
        built, start = seeded.built, time.monotonic()
        submission = as_released(built.release)  # shown where reading itself breaks
        try:
            found = (*found, *findings_beside(beside, built.exercise))
            submission = read_submission(raw, built.exercise, built.release)
            if not submission.is_gradable:
                _log.info("%s: the file cannot be graded", built.exercise.slug)
                return _not_graded(submission, seeded, found)
            evaluation = self._evaluate_with_retry(submission, seeded, found, unused_files(beside, built.exercise))
        except Exception as error:  # the log has no message and no trace, which may show a hidden test
            _log.warning("%s: a fault of ours, %s; the report has all of it", built.exercise.slug, type(error).__name__)
            evaluation = _not_graded(submission, seeded, found, traceback.format_exc())
        _log_result(evaluation.report)
        _log.debug("%s: %.2f s in all", built.exercise.slug, time.monotonic() - start)
        if evaluation.report.ungraded:  # what may have had a part in a fault is not used again
            self._runner.drop(built)
        return evaluation

    def close(self) -> None:
        """End the warm parents and, with them, what they have started."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _evaluate_with_retry(
        self, submission: Submission, seeded: SeededExercise, found: tuple[Finding, ...], unused: tuple[str, ...]
    ) -> Evaluation:
        """Once more with a new warm parent where the old one has been ended."""
        try:
            return self._evaluate(submission, seeded, found, unused)
        except SandboxError as error:
            slug = seeded.built.exercise.slug
            _log.warning("%s: again, with a new warm parent: %s", slug, plain_line(str(error)))
            self._runner.drop(seeded.built)
            return self._evaluate(submission, seeded, found, unused)

    def _evaluate(
        self, submission: Submission, seeded: SeededExercise, found: tuple[Finding, ...], unused: tuple[str, ...]
    ) -> Evaluation:
        built, exercise = seeded.built, seeded.built.exercise
        run = self._runner.run(submission.cells, seeded, unused=unused)
        ended = tuple(
            Finding(str(cell.ended.status), f"cell {cell.number}: {cell.ended.reason}")
            for cell in run.cells.values()
            if cell.ended
        )
        findings = (*found, *submission.findings, *ended, *run.findings)
        results = self._runner.carried(submission.cells, seeded, run)
        tasks = tuple(self._explained(task, seeded, run) for task in score(exercise, results, self._carried))
        report = Report(exercise.slug, exercise.version, seeded.seed, tasks, findings, breaches=run.breaches)
        notebook = to_notebook(submission, built.release)
        return Evaluation(report, fill_in(notebook, submission, run.cells, report))

    def _explained(self, task: TaskResult, seeded: SeededExercise, run: Execution) -> TaskResult:
        """With the known mistakes that it shows. A task that is right in itself shows none."""
        if task.status not in (Status.FAILED, Status.ERROR):
            return task
        return replace(task, mistakes=self._mistakes_of(task, seeded, run))

    def _mistakes_of(self, task: TaskResult, seeded: SeededExercise, run: Execution) -> tuple[Mistake, ...]:
        """Once more with a new warm parent, as with the submission itself. A fault here costs no score, only names."""
        slug = seeded.built.exercise.slug
        for _ in range(_ATTEMPTS):
            try:
                return self._mistakes.find(seeded, task.name, run.suite)
            except Exception as error:
                _log.warning("%s: no known mistake of %s, a fault of ours: %s", slug, task.name, type(error).__name__)
                self._runner.drop(seeded.built)
                if not isinstance(error, SandboxError):
                    break
        return ()


def _log_result(report: Report) -> None:
    _log.info("%s: evaluated, %g of %g points", report.exercise, report.earned, report.automatic_points)
    if report.ungraded:
        _log.warning("%s: ungraded: %s", report.exercise, ", ".join(task.name for task in report.ungraded))


def _not_graded(
    submission: Submission, seeded: SeededExercise, found: tuple[Finding, ...], fault: str = ""
) -> Evaluation:
    """Every task waits for a person: the file could not be read, or something of ours broke."""
    built, exercise, findings = seeded.built, seeded.built.exercise, (*found, *submission.findings)
    report = Report(exercise.slug, exercise.version, seeded.seed, ungraded(exercise), findings, fault)
    return Evaluation(report, fill_in(to_notebook(submission, built.release), submission, {}, report))
