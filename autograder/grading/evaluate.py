"""Grades one submission: notebook bytes in, report and graded notebook out. No gradebook, and no file but the store.

For the same bytes, assignment and seed the result is the same. An attempt knows how submissions of its kind of
assignment are read, run and judged; what is common to all is here.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from autograder.errors import SandboxError
from autograder.exercise.built import SeededExercise, SeveralExercises
from autograder.grading.evaluation import Attempt, Evaluation, Part, ended
from autograder.grading.feedback import fill_in
from autograder.grading.mistake_cache import MistakeCache
from autograder.grading.mistakes import MistakeFinder
from autograder.grading.plain import PlainAssignment, PlainAttempt
from autograder.grading.runner import Execution, Runner
from autograder.grading.score import absent, score, ungraded, waiting_for
from autograder.isolation.protection import FULL, Protection
from autograder.isolation.session import CellResult
from autograder.report import Finding, Mistake, Report, Status, TaskResult, joined
from autograder.scrub import plain_line
from autograder.submission.beside import absent_findings, findings_beside, other_modules, other_notebooks, unused_files
from autograder.submission.handed_in import Contents
from autograder.submission.notebook import as_released, read_submission, to_notebook

_log = logging.getLogger(__name__)

__all__ = ["Assignment", "Evaluation", "Grader", "GraderConfig"]

_ATTEMPTS = 2

Assignment = SeededExercise | SeveralExercises | PlainAssignment  # what submissions are graded by


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

    def evaluate(self, raw: bytes | Contents, assignment: Assignment, found: tuple[Finding, ...] = ()) -> Evaluation:
        """Grade what was handed in. Never raises for a submission: what goes wrong on our side is in the report.

        raw: all of it; of an assignment of a single notebook, the bytes of that are enough. found: findings from
        before it was read.
        """
        start = time.monotonic()
        contents = raw if isinstance(raw, Contents) else Contents(dict.fromkeys(assignment.notebooks, raw))
        lacking = [name for name in assignment.notebooks if name not in contents.notebooks]
        files = [f"{name}.ipynb" for name in lacking]
        found += tuple(absent_findings(files, other_notebooks(contents.beside)))
        parts = {
            name: attempt.absent() if name in lacking else self._part(attempt, assignment.slug)
            for name, attempt in self._attempts(contents, assignment, found).items()
        }
        whole = Report(assignment.slug, assignment.version, assignment.seed, (), found)
        report = joined(whole, {name: part.report for name, part in parts.items()})
        _log_result(report)
        _log.debug("%s: %.2f s in all", assignment.slug, time.monotonic() - start)
        return Evaluation(report, {name: part.notebook for name, part in parts.items() if part.notebook})

    def prepare(self, seeded: SeededExercise) -> None:
        """Find out, and keep for the course, what every known mistake comes to. Errors: SandboxError, ExerciseError."""
        self._mistakes.prepare(seeded)

    def close(self) -> None:
        """End the warm parents and, with them, what they have started."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _attempts(self, contents: Contents, assignment: Assignment, found: tuple[Finding, ...]) -> dict[str, Attempt]:
        """One for each notebook."""
        if isinstance(assignment, PlainAssignment):
            return {
                name: PlainAttempt(contents, assignment, name, found, self._runner) for name in assignment.notebooks
            }
        return {
            name: _ExerciseAttempt(
                _narrowed(contents, one, assignment), one, found, self._runner, self._mistakes, self._carried
            )
            for name, one in zip(assignment.notebooks, assignment.exercises, strict=True)
        }

    def _part(self, attempt: Attempt, slug: str) -> Part:
        """Of a notebook that was handed in. What breaks over one of them takes nothing from the others."""
        try:
            if not attempt.read():
                _log.info("%s: the file cannot be graded", slug)
                return attempt.not_graded()
            part = self._evaluate_with_retry(attempt, slug)
        except Exception as error:  # the log has no message and no trace, which may show a hidden test
            _log.warning("%s: a fault of ours, %s; the report has all of it", slug, type(error).__name__)
            part = attempt.not_graded(traceback.format_exc())
        if part.report.ungraded:
            attempt.drop()
        return part

    def _evaluate_with_retry(self, attempt: Attempt, slug: str) -> Part:
        """Once more with a new warm parent where the old one has been ended."""
        try:
            return attempt.evaluate()
        except SandboxError as error:
            _log.warning("%s: again, with a new warm parent: %s", slug, plain_line(str(error)))
            attempt.drop()
            return attempt.evaluate()


class _ExerciseAttempt:
    """A notebook for an exercise, tested from outside by its hidden suite."""

    def __init__(
        self,
        contents: Contents,
        seeded: SeededExercise,
        found: tuple[Finding, ...],
        runner: Runner,
        mistakes: MistakeFinder,
        carried: float,
    ) -> None:
        self._contents = contents
        self._seeded = seeded
        self._built = seeded.built
        self._found = found
        self._runner = runner
        self._mistakes = mistakes
        self._carried = carried
        self._submission = as_released(self._built.release)  # shown where reading itself breaks

    def absent(self) -> Part:
        """Where it may be there under another name, a person is to look."""
        exercise, may_be_there = self._built.exercise, bool(other_notebooks(self._contents.beside))
        return Part(self._report(ungraded(exercise) if may_be_there else absent(exercise)), None)

    def read(self) -> bool:
        raw, exercise = self._contents.notebooks[self._built.exercise.notebook], self._built.exercise
        self._found += tuple(findings_beside(self._contents.beside, exercise))
        self._submission = read_submission(raw, exercise, self._built.release, self._contents.files)
        return self._submission.is_gradable

    def evaluate(self) -> Part:
        cells, exercise = self._submission.cells, self._built.exercise
        run = self._runner.run(cells, self._seeded, unused=unused_files(self._contents.beside, exercise))
        hidden, absent = self._hidden_modules()
        findings = (*self._submission.findings, *absent, *ended(run.cells), *run.findings)
        results = self._runner.carried(cells, self._seeded, run)
        scored = waiting_for(hidden, self._built, score(exercise, results, self._carried))
        tasks = tuple(self._explained(task, run) for task in scored)
        return self._part(self._report(tasks, findings, breaches=run.breaches), run.cells)

    def not_graded(self, fault: str = "") -> Part:
        return self._part(self._report(ungraded(self._built.exercise), self._submission.findings, fault), {})

    def drop(self) -> None:
        self._runner.drop(self._built)

    def _hidden_modules(self) -> tuple[list[str], tuple[Finding, ...]]:
        """The modules that may be there, but not as they can be read; and what is said of those that are lacking."""
        lacking, beside = self._submission.lacking_modules, self._contents.beside
        absent = [file for file in lacking if file not in {*beside, *self._contents.files}]
        others = other_modules(beside, self._built.exercise)
        return [file for file in lacking if others or file not in absent], tuple(absent_findings(absent, others))

    def _report(
        self,
        tasks: tuple[TaskResult, ...],
        findings: tuple[Finding, ...] = (),
        fault: str = "",
        breaches: tuple[str, ...] = (),
    ) -> Report:
        one, all_findings = self._seeded, (*self._found, *findings)
        return Report(one.slug, one.version, one.seed, tasks, all_findings, fault, breaches)

    def _part(self, report: Report, runs: Mapping[int, CellResult]) -> Part:
        notebook = fill_in(to_notebook(self._submission, self._built.release), self._submission, runs, report)
        return Part(report, notebook)

    def _explained(self, task: TaskResult, run: Execution) -> TaskResult:
        """With the known mistakes that it shows. A task that is right in itself shows none."""
        if task.status not in (Status.FAILED, Status.ERROR):
            return task
        return replace(task, mistakes=self._mistakes_of(task, run))

    def _mistakes_of(self, task: TaskResult, run: Execution) -> tuple[Mistake, ...]:
        """Once more with a new warm parent, as with the submission itself. A fault here costs no score, only names."""
        slug = self._seeded.slug
        for _ in range(_ATTEMPTS):
            try:
                return self._mistakes.find(self._seeded, task.name, run.suite)
            except Exception as error:
                _log.warning("%s: no known mistake of %s, a fault of ours: %s", slug, task.name, type(error).__name__)
                self._runner.drop(self._built)
                if not isinstance(error, SandboxError):
                    break
        return ()


def _narrowed(contents: Contents, one: SeededExercise, assignment: SeededExercise | SeveralExercises) -> Contents:
    """What is of account for one exercise: beside its notebook lies what was given and written for others, too."""
    exercise = one.built.exercise
    expected = {name for other in assignment.exercises for name in other.built.expected_files}
    others = expected.difference(exercise.files, exercise.submit)
    return Contents(
        contents.notebooks,
        {name: content for name, content in contents.files.items() if name in exercise.submit},
        {name: digest for name, digest in contents.beside.items() if name not in others},
    )


def _log_result(report: Report) -> None:
    _log.info("%s: evaluated, %g of %g points", report.exercise, report.earned, report.automatic_points)
    if report.ungraded:
        _log.warning("%s: ungraded: %s", report.exercise, ", ".join(task.name for task in report.ungraded))
