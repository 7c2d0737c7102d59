"""Grades many submissions side by side, and records them one after the other."""

from __future__ import annotations

import glob
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbgrader.utils import parse_utc

from autograder.batch.job import Job, start, work
from autograder.batch.pool import spread
from autograder.course.evaluation_cache import EvaluationCache
from autograder.course.folder import Course
from autograder.course.gradebook import Recorder, RecordError
from autograder.course.reports import load_report, save_report
from autograder.errors import ConfigError
from autograder.exercise.built import Built
from autograder.grading.evaluate import Evaluation
from autograder.report import Outcome, Status
from autograder.submission.notebook import find_notebook, has_links

if TYPE_CHECKING:  # it loads Dask, which not everybody has
    from autograder.batch.cluster import Cluster

_UNSAFE_NAME = "[]*?{}"  # nbgrader takes a student's name for a pattern


def submitting_students(course: Course, slug: str) -> list[str]:
    """Every student who has a folder for the assignment, sorted."""
    return sorted(folder.parent.name for folder in map(Path, glob.glob(str(course.submitted("*", slug)))))


def grade_students(
    course: Course,
    built: Built,
    students: Sequence[str],
    jobs: int,
    done: Callable[[Outcome], None],
    fresh: bool = False,
    cluster: Cluster | None = None,
) -> list[Outcome]:
    """Grade and record the submissions of `students` with `jobs` processes; the outcomes in the order of `students`.

    done: called with each outcome as it is recorded. fresh: grade also what has not changed since the last time.
    cluster: evaluates in the place of the processes.
    Errors: ConfigError for a student without a folder, and as `Cluster.evaluate`.
    """
    outcomes: dict[str, Outcome] = {}
    with (
        Recorder(course, built.exercise.slug) as recorder,
        closing(_Batch(course, built, recorder, cluster).outcomes(students, jobs, fresh)) as found,
    ):
        for outcome in found:
            outcomes[outcome.student] = outcome
            done(outcome)
    return [outcomes[student] for student in students]


class _Batch:
    """One run over the submissions of an exercise."""

    def __init__(self, course: Course, built: Built, recorder: Recorder, cluster: Cluster | None) -> None:
        self._course = course
        self._built = built
        self._recorder = recorder
        self._cluster = cluster
        self._kept = EvaluationCache(course, built)

    def outcomes(self, students: Sequence[str], jobs: int, fresh: bool) -> Generator[Outcome]:
        """What is refused and what is done already comes first, then the others as they are evaluated."""
        new: list[Job] = []
        scores = self._recorder.scores()
        for student in students:
            job = _prepare(self._course, self._built.exercise.slug, student)
            if isinstance(job, Outcome):
                self._recorder.record_refused(student)
                yield job
                continue
            job = replace(job, key=self._kept.key(job.path.parent, job.findings))
            if fresh or not (known := self._known(job, scores.get(student, {}))):
                new.append(job)
            else:
                yield known
        with closing(self._evaluations(new, jobs)) as evaluations:
            for job, evaluation in evaluations:
                if evaluation is None:
                    self._recorder.record_refused(job.student)
                    yield Outcome(job.student, refused="the grader's own process ended; grade again")
                else:
                    yield self._recorded(self._kept_if_unchanged(job, evaluation), evaluation)

    def _kept_if_unchanged(self, job: Job, evaluation: Evaluation) -> Job:
        """Where the file has been replaced meanwhile nobody knows which of the two was graded: then without a key."""
        if self._kept.key(job.path.parent, job.findings) != job.key:
            return replace(job, key="")
        self._kept.save(job.key, evaluation)
        return job

    def _evaluations(self, new: list[Job], jobs: int) -> Generator[tuple[Job, Evaluation | None]]:
        if self._cluster:
            return self._cluster.evaluate(new, self._course, self._built)
        return spread(new, jobs, work, start, self._course.grader(self._course.memory), self._built, self._course.seed)

    def _known(self, job: Job, scores: dict[str, float | None]) -> Outcome | None:
        """The outcome of a submission that has been evaluated before; recorded, if the gradebook does not have it."""
        if self._kept.is_recorded(job.student, job.key):
            with suppress(ConfigError):  # somebody has deleted the report
                report = load_report(self._course.root, self._built.exercise.slug, job.student)
                automatic = [task for task in report.tasks if task.status is not Status.BY_HAND]
                if all(scores.get(task.name) == task.earned for task in automatic):
                    return Outcome(job.student, report.without_tests())
        evaluation = self._kept.load(job.key)
        return self._recorded(job, evaluation) if evaluation else None

    def _recorded(self, job: Job, evaluation: Evaluation) -> Outcome:
        save_report(self._course.root, job.student, evaluation.report)
        report = evaluation.report.without_tests()
        try:
            self._recorder.record(job.student, evaluation)
        except RecordError as error:
            return Outcome(job.student, report, f"nbgrader could not record it: {error}")
        if job.key and not evaluation.report.ungraded:
            self._kept.note_recorded(job.student, job.key)
        return Outcome(job.student, report)


def _prepare(course: Course, slug: str, student: str) -> Job | Outcome:
    """What keeps nbgrader's own `autograde` from a submission, too, belongs in `notebook` and `SubmissionExporter`."""
    folder = course.submitted(student, slug)
    if set(student) & set(_UNSAFE_NAME):
        return Outcome(student, refused=f"nbgrader cannot hold a student's name with {' '.join(_UNSAFE_NAME)}")
    if not folder.is_dir():
        raise ConfigError(f"{student} has handed in nothing: there is no folder {folder}")
    if not _has_readable_timestamp(folder):
        return Outcome(student, refused="timestamp.txt holds no date; write one, or delete the file")
    if has_links(folder):
        return Outcome(student, refused="there is a symbolic link among the files; remove it")
    path, findings = find_notebook(folder, slug)
    if path is None:
        return Outcome(student, refused=findings[0].message)
    return Job(student, path, findings)


def _has_readable_timestamp(folder: Path) -> bool:
    file = folder / "timestamp.txt"
    try:
        text = file.read_text().strip() if file.exists() else ""
        return not text or parse_utc(text) is not None
    except (ValueError, OverflowError, AttributeError):
        return False
