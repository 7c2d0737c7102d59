"""A run over an assignment's submissions: evaluated wherever the evaluator does it, recorded one after the other."""

from __future__ import annotations

import glob
import logging
import os
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

import sqlalchemy

from autograder.batch.evaluators import Evaluator
from autograder.batch.job import Job, Refusal
from autograder.course.assignments import (
    enter,
    forget_what_is_gone,
    load_assignment,
    make_ready,
    require_assignment,
)
from autograder.course.course import Course
from autograder.course.evaluation_cache import EvaluationCache
from autograder.course.gradebook import GRADED, Recorder, RecordError, gradebook_to_read, known_students
from autograder.course.last_run import Graded, LastRun, Left
from autograder.course.reports import forget_refusals, load_report, reports_folder, save_refusal, save_report
from autograder.course.score_log import note_found
from autograder.course.standings import recorded_standings
from autograder.errors import ConfigError
from autograder.grading.evaluate import Assignment, Evaluation
from autograder.report import Outcome, Status
from autograder.scrub import plain_line
from autograder.store import Store
from autograder.submission.handed_in import HandedIn, is_one_name, name_fault

_log = logging.getLogger(__name__)

Found = TypeVar("Found")


def grade_exercise(
    course: Course,
    slug: str,
    students: Sequence[str],
    evaluator: Evaluator,
    last_run: LastRun,
    *,
    why: str = GRADED,
    fresh: bool = False,
    started: Callable[[int], None] = lambda total: None,
    done: Callable[[Outcome], None] = lambda outcome: None,
) -> Graded:
    """Grade and record the submissions of `students`, of all who have one where none is named.

    last_run: told of this one. why: as in `Recorder`. fresh: grade also what has not changed since. started: called
    with the number of submissions. done: called with each outcome as it is recorded.
    Errors: ConfigError, ExerciseError where the course, the assignment or the machine is not ready for it.
    """
    packages = require_assignment(course, slug)  # or a name that is none would get a folder
    with Store(course.root, slug).one_run():
        submitted = course.pattern(course.submitted, slug)
        last_run.begin(_read_by(course, slug), course.submissions, submitted, packages)
        assignment = load_assignment(course, slug)
        make_ready(course, assignment)
        everybody = course.submitting_students(slug)
        chosen = list(students) or everybody
        require_some(course, slug, chosen)
        evaluator.require_fit(course.protection, assignment.packages)
        known = known_students(course)
        with gradebook_to_read(course) as gradebook:
            note_found(course, gradebook, slug)
        enter(course, assignment, students)
        started(len(chosen))
        outcomes = grade_students(course, assignment, chosen, evaluator, done, fresh, why)
        _forget_what_is_gone(course, assignment, everybody)
        absent = [] if students else course.absent_students(slug, known)
        graded = Graded(outcomes, len(absent), what_stands(course, assignment, absent))
        if not graded.waiting and (written := _written_by(course, slug)):
            last_run.complete(graded, written)
    return graded


def grade_students(
    course: Course,
    assignment: Assignment,
    students: Sequence[str],
    evaluator: Evaluator,
    done: Callable[[Outcome], None] = lambda outcome: None,
    fresh: bool = False,
    why: str = GRADED,
) -> list[Outcome]:
    """The middle of `grade_exercise`: the outcomes in the order of `students`.

    Errors: ConfigError for a student without a folder or with a name that is no folder's, and as `Evaluator.evaluate`.
    """
    slug = assignment.slug
    if odd := [student for student in students if not is_one_name(student)]:  # else folders of others would be removed
        raise ConfigError(name_fault(odd[0]))
    if nowhere := [student for student in students if not os.path.lexists(course.submitted(student, slug))]:
        raise ConfigError(f"{nowhere[0]} has handed in nothing: there is no {course.submitted(nowhere[0], slug)}")
    outcomes: dict[str, Outcome] = {}
    with (
        Recorder(course, slug, why) as recorder,
        closing(Run(course, assignment, recorder, evaluator).outcomes(students, fresh)) as found,
    ):
        for outcome in found:
            if outcome.report and not outcome.refused:
                outcome = replace(outcome, standing=recorder.standing(outcome.student, outcome.report))
            outcomes[outcome.student] = outcome
            done(outcome)
    return [outcomes[student] for student in students]


def require_some(course: Course, slug: str, students: Sequence[str]) -> None:
    """Errors: ConfigError where there are none."""
    if not students:
        raise ConfigError(f"no submissions: {course.submitted('STUDENT', slug)} is there for no STUDENT")


class Run:
    """One run over the submissions of an assignment.

    All that is done for one student, before, during and after the evaluation, is done behind one barrier: what fails
    there is that student's sentence in the table, and the others are graded.
    """

    def __init__(self, course: Course, assignment: Assignment, recorder: Recorder, evaluator: Evaluator) -> None:
        self._course = course
        self._assignment = assignment
        self._slug = assignment.slug
        self._recorder = recorder
        self._evaluator = evaluator
        self._cache = EvaluationCache(course, assignment)
        self._scores = recorder.scores()

    def outcomes(self, students: Sequence[str], fresh: bool) -> Generator[Outcome]:
        """What is refused and what is done already comes first, then the others as they are evaluated."""
        new: list[Job] = []
        for student in students:
            found = self._behind_barrier(student, partial(self._looked_up, student, fresh))
            if isinstance(found, Outcome):
                yield found
            else:
                new.append(found)
        _log.info("%s: %d of %d to evaluate", self._slug, len(new), len(students))
        with closing(self._evaluator.evaluate(new, self._assignment, self._course.grader_config)) as evaluations:
            for job, evaluation in evaluations:
                yield self._behind_barrier(job.student, partial(self._taken, job, evaluation))

    def _behind_barrier(self, student: str, step: Callable[[], Found]) -> Found | Outcome:
        try:
            return step()
        except Exception as error:
            _log.exception("%s: a step for one student failed", plain_line(student))
            return self._refused(student, f"a fault of the grader: {type(error).__name__}: {error}")

    def _looked_up(self, student: str, fresh: bool) -> Job | Outcome:
        """What there is to evaluate, or what came of it already."""
        if reason := name_fault(student):
            return self._refused(student, reason)
        found = self._handed_in(student)
        if reason := found.refused or self._recorder.why_not(student):
            return self._refused(student, reason)
        job = Job(student, found, self._cache.key(found))
        return (None if fresh else self._known(job)) or job

    def _handed_in(self, student: str) -> HandedIn:
        return self._course.handed_in(student, self._slug, self._assignment.notebooks)

    def _known(self, job: Job) -> Outcome | None:
        """The outcome of a submission that has been evaluated before; recorded, if the gradebook does not have it."""
        if again := self._cache.is_recorded(job.student, job.key):
            with suppress(ConfigError):  # somebody has deleted the report
                report = load_report(self._course.root, self._slug, job.student)
                scores = self._scores.get(job.student, {})
                automatic = [task for task in report.tasks if task.status is not Status.BY_HAND]
                if all(scores.get(task.name) == task.earned for task in automatic):
                    return Outcome(job.student, report.without_tests())
        evaluation = self._cache.load(job.student, job.key)
        return self._recorded(job, evaluation, again=again) if evaluation else None

    def _taken(self, job: Job, evaluation: Evaluation | Refusal) -> Outcome:
        """Kept and recorded. Of a file that has been replaced meanwhile nobody knows which of the two was graded."""
        if isinstance(evaluation, Refusal):
            return self._refused(job.student, evaluation.reason)
        now = self._handed_in(job.student)
        if now.refused or self._cache.key(now) != job.key:
            return self._recorded(replace(job, key=""), evaluation)
        with suppress(OSError):  # no room: then the next run evaluates it again
            self._cache.save(job.student, job.key, evaluation)
        return self._recorded(job, evaluation)

    def _recorded(self, job: Job, evaluation: Evaluation, *, again: bool = False) -> Outcome:
        """again: as in `Recorder.record`."""
        whole = evaluation.report.of_submission(job.handed_in.digest)
        report = whole.without_tests()
        try:
            self._cache.note_unrecorded(job.student)
            save_report(self._course.root, job.student, whole)
        except OSError as error:
            return self._refused(job.student, f"the report cannot be written: {error}")
        try:
            self._recorder.record(job.student, evaluation, job.handed_in, again=again)
        except RecordError as error:
            return Outcome(job.student, report, f"it could not be recorded: {error}")
        if job.key and not evaluation.report.ungraded:
            with suppress(OSError):
                self._cache.note_recorded(job.student, job.key)
        return Outcome(job.student, report)

    def _refused(self, student: str, reason: str) -> Outcome:
        """Nothing of an earlier submission stands as if it were this one's: no score, no report, no page."""
        reason = plain_line(reason)
        try:
            self._recorder.record_refused(student, reason)
            for folder in (self._course.autograded(student, self._slug), self._course.feedback(student, self._slug)):
                shutil.rmtree(folder, ignore_errors=True)
            save_refusal(self._course.root, self._slug, student, reason)
        except Exception as error:  # such a name, or a gradebook that is locked
            _log.warning("%s: could not be entered as refused: %s", plain_line(student), plain_line(str(error)))
        return Outcome(student, refused=reason)


def _forget_what_is_gone(course: Course, assignment: Assignment, students: list[str]) -> None:
    """Students who have no folder any more, and what the assignment has no more."""
    with suppress(OSError):
        EvaluationCache(course, assignment).keep_only(students)
        forget_refusals(course.root, assignment.slug, students)
        forget_what_is_gone(course, assignment)


def what_stands(course: Course, assignment: Assignment, absent: Sequence[str]) -> list[Left]:
    """Of those who have handed in nothing now, what the gradebook keeps from when they had."""
    with gradebook_to_read(course) as gradebook:
        standings = recorded_standings(gradebook, assignment.slug, *absent) if absent else {}
    left = []
    for student, standing in sorted(standings.items()):
        with suppress(ConfigError):
            report = load_report(course.root, assignment.slug, student)
            left.append(Left(student, standing, report.version, report.version == assignment.version))
    return left


def _read_by(course: Course, slug: str) -> list[str]:
    folders = (course.exercises_folder, course.solutions, course.assignments)
    return [glob.escape(str(folder / slug)) for folder in folders]


def _written_by(course: Course, slug: str) -> list[str]:
    """Nothing where nobody can tell at once what has changed: a gradebook that is no file, own code for penalties."""
    url = sqlalchemy.make_url(course.db_url)
    own_penalties = "plugin_class" in course.config.get("AssignLatePenalties", {})
    if url.get_backend_name() != "sqlite" or not url.database or own_penalties:
        return []
    files = (url.database, str(reports_folder(course.root, slug)))
    return [*map(glob.escape, files), course.all_pattern(course.autograded, slug)]
