"""Grades one submission: notebook bytes in, report and graded notebook out. No gradebook, no files.

For the same bytes, exercise and seed the result is the same.
"""

from __future__ import annotations

import traceback
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Self

from nbformat import NotebookNode

from autograder.build import Built
from autograder.errors import SandboxError
from autograder.feedback import fill_in
from autograder.notebook import Submission, as_released, read_submission, to_notebook
from autograder.report import Finding, Report
from autograder.sandbox import Sandbox
from autograder.score import score, ungraded
from autograder.session import Session
from autograder.source import reference_source
from autograder.suite import run_suite


@dataclass(frozen=True)
class Evaluation:
    """What one submission came to. `notebook` is the mended submission with outputs and results in it."""

    report: Report
    notebook: NotebookNode


class Grader:
    """Evaluates submissions one after the other, with one warm parent for each framework. Use as a context manager.

    allowed: guarantees of the confinement that need not hold. without: layers of it to leave out.
    """

    def __init__(self, allowed: Collection[str] = (), without: Collection[str] = ()) -> None:
        self._allowed = allowed
        self._without = without
        self._sandboxes: dict[str, Sandbox] = {}

    def evaluate(self, raw: bytes, built: Built, seed: int, found: tuple[Finding, ...] = ()) -> Evaluation:
        """Grade the notebook file `raw`. Never raises for a submission: what goes wrong on our side is in the report.

        found: findings from before the file was read.
        """
        submission = as_released(built.release)  # shown where reading itself breaks
        try:
            submission = read_submission(raw, built.exercise, built.release)
            if not submission.readable:
                return _not_graded(submission, built, seed, found)
            evaluation = self._evaluate_with_retry(submission, built, seed, found)
        except Exception:
            evaluation = _not_graded(submission, built, seed, found, traceback.format_exc())
        if evaluation.report.ungraded:
            self._drop(built.exercise.framework)
        return evaluation

    def close(self) -> None:
        for framework in list(self._sandboxes):
            self._drop(framework)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _evaluate_with_retry(
        self, submission: Submission, built: Built, seed: int, found: tuple[Finding, ...]
    ) -> Evaluation:
        """Once more with a new warm parent where the old one has been ended."""
        try:
            return self._evaluate(submission, built, seed, found)
        except SandboxError:
            self._drop(built.exercise.framework)
            return self._evaluate(submission, built, seed, found)

    def _evaluate(self, submission: Submission, built: Built, seed: int, found: tuple[Finding, ...]) -> Evaluation:
        exercise = built.exercise
        sandbox = self._sandbox(exercise.framework)
        reference = _reference(reference_source(built.reference), str(exercise.notebook_source))
        files = {"checks.py": built.checks}
        with Session(sandbox, exercise.limits, submission.cells, files) as session:
            results = run_suite(exercise, session, reference, seed)
        ended = tuple(
            Finding(str(run.ended.status), f"cell {run.number}: {run.ended.reason}")
            for run in session.runs.values()
            if run.ended
        )
        findings = (*found, *submission.findings, *ended)
        tasks = score(exercise, results)
        report = Report(exercise.slug, exercise.version, seed, tasks, findings, unprotected=sandbox.broken)
        notebook = to_notebook(submission, built.release)
        return Evaluation(report, fill_in(notebook, submission, session.runs, report))

    def _sandbox(self, framework: str) -> Sandbox:
        if framework not in self._sandboxes:
            self._sandboxes[framework] = Sandbox(framework, self._without, self._allowed)
        return self._sandboxes[framework]

    def _drop(self, framework: str) -> None:
        """A parent that may have had a part in a fault is not used again."""
        if sandbox := self._sandboxes.pop(framework, None):
            sandbox.close()


def _not_graded(
    submission: Submission, built: Built, seed: int, found: tuple[Finding, ...], fault: str = ""
) -> Evaluation:
    """Every task waits for a person: the file could not be read, or something of ours broke."""
    exercise, findings = built.exercise, (*found, *submission.findings)
    report = Report(exercise.slug, exercise.version, seed, ungraded(exercise), findings, fault)
    return Evaluation(report, fill_in(to_notebook(submission, built.release), submission, {}, report))


@lru_cache(maxsize=8)
def _reference(source: str, file: str) -> SimpleNamespace:
    """The reference functions, run in this trusted process."""
    namespace: dict[str, object] = {"__name__": "reference"}
    exec(compile(source, file, "exec"), namespace)
    return SimpleNamespace(**{name: value for name, value in namespace.items() if not name.startswith("__")})
