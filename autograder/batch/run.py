"""A run over the submissions of an exercise: evaluated wherever the evaluator does it, recorded one after the other."""

from __future__ import annotations

import glob
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import sqlalchemy
from nbgrader.utils import parse_utc

from autograder.batch.evaluators import Evaluator
from autograder.batch.job import Job
from autograder.course.evaluation_cache import EvaluationCache
from autograder.course.folder import Course
from autograder.course.gradebook import Recorder, RecordError, open_gradebook, register
from autograder.course.last_run import LastRun
from autograder.course.reports import load_report, reports_folder, save_report
from autograder.errors import ConfigError
from autograder.exercise.build import require_fresh
from autograder.exercise.built import SeededExercise
from autograder.grading.evaluate import Evaluation
from autograder.grading.mistake_cache import forget_other_mistakes
from autograder.report import Outcome, Status
from autograder.store import Store
from autograder.submission.notebook import find_notebook, has_links

_log = logging.getLogger(__name__)
_UNSAFE_NAME = "[]*?{}"  # nbgrader takes a student's name for a pattern


def submitting_students(course: Course, slug: str) -> list[str]:
    """Every student who has a folder for the assignment, sorted."""
    return sorted(folder.parent.name for folder in map(Path, glob.glob(str(course.submitted("*", slug)))))


def grade_exercise(
    course: Course,
    slug: str,
    students: Sequence[str],
    evaluator: Evaluator,
    last_run: LastRun,
    *,
    fresh: bool = False,
    started: Callable[[int], None] = lambda total: None,
    done: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Grade and record the submissions of `students`, of all who have one where none is named.

    last_run: told of this one. fresh: grade also what has not changed since. started: called with the number of
    submissions. done: called with each outcome as it is recorded.
    Errors: ConfigError, ExerciseError where the course, the exercise or the machine is not ready for it.
    """
    exercise = course.exercise(slug)  # or a name that is none would get a folder
    with Store(course.root, slug).one_run():
        last_run.begin(_read_by(course, slug))
        seeded = course.seeded(exercise.slug)
        require_fresh(seeded.built, course.solutions, course.assignments)
        everybody = submitting_students(course, slug)
        chosen = list(students) or everybody
        if not chosen:
            raise ConfigError(f"no submissions: {course.submitted('*', slug)} matches no folder")
        evaluator.require_fit(course.protection)
        open_gradebook(course).close()
        register(course, slug)
        started(len(chosen))
        outcomes = grade_students(course, seeded, chosen, evaluator, done, fresh)
        _forget_what_is_gone(course, seeded, everybody)
        if not any(one.needs_a_person for one in outcomes) and (written := _written_by(course, slug)):
            last_run.complete([one.student for one in outcomes], written)
    return outcomes


def grade_students(
    course: Course,
    seeded: SeededExercise,
    students: Sequence[str],
    evaluator: Evaluator,
    done: Callable[[Outcome], None] = lambda outcome: None,
    fresh: bool = False,
) -> list[Outcome]:
    """The middle of `grade_exercise`: the outcomes in the order of `students`.

    Errors: ConfigError for a student without a folder, and as `Evaluator.evaluate`.
    """
    outcomes: dict[str, Outcome] = {}
    with (
        Recorder(course, seeded.built.exercise.slug) as recorder,
        closing(_Run(course, seeded, recorder, evaluator).outcomes(students, fresh)) as found,
    ):
        for outcome in found:
            outcomes[outcome.student] = outcome
            done(outcome)
    return [outcomes[student] for student in students]


class _Run:
    """One run over the submissions of an exercise."""

    def __init__(self, course: Course, seeded: SeededExercise, recorder: Recorder, evaluator: Evaluator) -> None:
        self._course = course
        self._seeded = seeded
        self._slug = seeded.built.exercise.slug
        self._recorder = recorder
        self._evaluator = evaluator
        self._cache = EvaluationCache(course, seeded)

    def outcomes(self, students: Sequence[str], fresh: bool) -> Generator[Outcome]:
        """What is refused and what is done already comes first, then the others as they are evaluated."""
        new: list[Job] = []
        scores = self._recorder.scores()
        for student in students:
            job = _prepare(self._course, self._slug, student)
            if isinstance(job, Outcome):
                self._recorder.record_refused(student)
                yield job
                continue
            job = replace(job, key=self._cache.key(job.path.parent, job.findings))
            if fresh or not (known := self._known(job, scores.get(student, {}))):
                new.append(job)
            else:
                yield known
        _log.info("%s: %d of %d to evaluate", self._slug, len(new), len(students))
        with closing(self._evaluator.evaluate(new, self._seeded, self._course.grader_config)) as evaluations:
            for job, evaluation in evaluations:
                if evaluation is None:
                    self._recorder.record_refused(job.student)
                    yield Outcome(job.student, refused="the grader's own process ended; grade again")
                else:
                    yield self._recorded(self._kept_if_unchanged(job, evaluation), evaluation)

    def _kept_if_unchanged(self, job: Job, evaluation: Evaluation) -> Job:
        """Where the file has been replaced meanwhile nobody knows which of the two was graded: then without a key."""
        if self._cache.key(job.path.parent, job.findings) != job.key:
            return replace(job, key="")
        self._cache.save(job.student, job.key, evaluation)
        return job

    def _known(self, job: Job, scores: dict[str, float | None]) -> Outcome | None:
        """The outcome of a submission that has been evaluated before; recorded, if the gradebook does not have it."""
        if self._cache.is_recorded(job.student, job.key):
            with suppress(ConfigError):  # somebody has deleted the report
                report = load_report(self._course.root, self._slug, job.student)
                automatic = [task for task in report.tasks if task.status is not Status.BY_HAND]
                if all(scores.get(task.name) == task.earned for task in automatic):
                    return Outcome(job.student, report.without_tests())
        evaluation = self._cache.load(job.student, job.key)
        return self._recorded(job, evaluation) if evaluation else None

    def _recorded(self, job: Job, evaluation: Evaluation) -> Outcome:
        save_report(self._course.root, job.student, evaluation.report)
        report = evaluation.report.without_tests()
        try:
            self._recorder.record(job.student, evaluation, self._handed_in(job))
        except RecordError as error:
            return Outcome(job.student, report, f"nbgrader could not record it: {error}")
        if job.key and not evaluation.report.ungraded:
            self._cache.note_recorded(job.student, job.key)
        return Outcome(job.student, report)

    def _handed_in(self, job: Job) -> datetime | None:
        moment: datetime | None = self._course.coursedir.get_existing_timestamp(str(job.path.parent))
        return moment


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


def _forget_what_is_gone(course: Course, seeded: SeededExercise, students: list[str]) -> None:
    """Students who have no folder any more, and known mistakes that are none."""
    with suppress(OSError):
        EvaluationCache(course, seeded).keep_only(students)
        forget_other_mistakes(course.root, seeded)


def _read_by(course: Course, slug: str) -> list[str]:
    folders = (course.exercises_folder, course.solutions, course.assignments)
    return [*(glob.escape(str(folder / slug)) for folder in folders), str(course.submitted("*", slug))]


def _written_by(course: Course, slug: str) -> list[str]:
    """None where nobody can tell at once what has changed: a gradebook that is no file, own code for penalties."""
    url = sqlalchemy.make_url(course.db_url)
    own_penalties = "plugin_class" in course.config.get("AssignLatePenalties", {})
    if url.get_backend_name() != "sqlite" or not url.database or own_penalties:
        return []
    files = (url.database, str(reports_folder(course.root, slug)))
    return [*map(glob.escape, files), str(course.autograded("*", slug))]
