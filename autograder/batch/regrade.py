"""What grading a class again would change, before any of it is written, and then the writing.

The class is graded as ever, only into a copy of the gradebook; what that has afterwards is compared with what the
gradebook has. Of the evaluations nothing is lost: a run that records them takes them from the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing, suppress

from autograder.batch.evaluators import Evaluator
from autograder.batch.job import Job
from autograder.batch.run import Run, grade_exercise, require_some
from autograder.course.assignments import follows_an_exercise, load_assignment, make_ready, require_assignment
from autograder.course.changed_tasks import TaskChanges, bring_up_to_date
from autograder.course.comparison import Comparison, StudentChange, distribution, faults_of, task_changes
from autograder.course.course import Course
from autograder.course.database import Patience
from autograder.course.draft import draft_of
from autograder.course.gradebook import Draft, RecordError, gradebook_to_read, open_gradebook, register
from autograder.course.last_run import Graded, LastRun
from autograder.course.nbgrader_internals import one_transaction
from autograder.course.reports import load_report
from autograder.course.score_log import note_found
from autograder.course.standings import recorded_standings
from autograder.errors import ConfigError
from autograder.grading.evaluate import Evaluation
from autograder.report import Outcome, Report
from autograder.scrub import plain_line
from autograder.standing import Standing
from autograder.store import Store

REGRADED = "regraded"

Started = Callable[[int], None]
Done = Callable[[Outcome], None]


def compare(
    course: Course,
    slug: str,
    evaluator: Evaluator,
    renamed: Mapping[str, str],
    started: Started = lambda total: None,
    done: Done = lambda outcome: None,
) -> Comparison:
    """What would change if all who have handed something in were graded now.

    renamed: the new names of tasks by the old ones. started, done: as in `grade_exercise`.
    Errors: ConfigError, ExerciseError where the course, the assignment or the machine is not ready for it.
    """
    require_assignment(course, slug)
    with Store(course.root, slug).one_run():
        assignment = load_assignment(course, slug)
        make_ready(course, assignment)
        students = course.submitting_students(slug)
        require_some(course, slug, students)
        evaluator.require_fit(course.protection, assignment.packages)
        with gradebook_to_read(course) as gradebook:
            before = recorded_standings(gradebook, slug)
        if not before:
            raise ConfigError(f"nothing is graded yet; run `autograder grade {slug}` first")
        started(len(students))
        with draft_of(course) as draft:
            changes = TaskChanges()
            if follows_an_exercise(assignment):
                changes = _bring_up_to_date(draft, course, slug, renamed)
            outcomes = {}
            with (
                Draft(draft, slug) as recorder,
                closing(_Rehearsal(course, assignment, recorder, evaluator).outcomes(students, fresh=False)) as found,
            ):
                for outcome in found:
                    outcomes[outcome.student] = outcome
                    done(outcome)
            with gradebook_to_read(draft) as gradebook:
                after = recorded_standings(gradebook, slug)
    return _compared(course, slug, before, after, outcomes, changes)


def apply(
    course: Course,
    slug: str,
    evaluator: Evaluator,
    renamed: Mapping[str, str],
    last_run: LastRun,
    started: Started = lambda total: None,
    done: Done = lambda outcome: None,
) -> Graded:
    """Record it. A run that was ended in the middle is gone on with by `autograder grade`. As `compare`."""
    with Store(course.root, slug).one_run():
        with gradebook_to_read(course) as gradebook:
            note_found(course, gradebook, slug)
        if follows_an_exercise(load_assignment(course, slug)):
            register(course, slug, renamed, tasks_may_change=True)
    return grade_exercise(course, slug, (), evaluator, last_run, why=REGRADED, started=started, done=done)


class _Rehearsal(Run):
    """Of what a run writes, only what is in the draft of the gradebook, and the evaluations that are kept."""

    def _known(self, job: Job) -> Outcome | None:
        kept = self._cache.load(job.student, job.key)
        return self._recorded(job, kept, again=self._cache.is_recorded(job.student, job.key)) if kept else None

    def _recorded(self, job: Job, evaluation: Evaluation, *, again: bool = False) -> Outcome:
        try:
            self._recorder.record(job.student, evaluation, job.handed_in, again=again)
        except RecordError as error:
            return Outcome(job.student, refused=f"it could not be recorded: {error}")
        return Outcome(job.student, evaluation.report.of_submission(job.handed_in.digest))

    def _refused(self, student: str, reason: str) -> Outcome:
        self._recorder.record_refused(student, reason)
        return Outcome(student, refused=plain_line(reason))


def _bring_up_to_date(draft: Course, course: Course, slug: str, renamed: Mapping[str, str]) -> TaskChanges:
    with open_gradebook(draft) as gradebook, one_transaction(gradebook, Patience()):
        return bring_up_to_date(gradebook, slug, course.solutions / slug, renamed)


def _compared(
    course: Course,
    slug: str,
    before: Mapping[str, Standing],
    after: Mapping[str, Standing],
    outcomes: Mapping[str, Outcome],
    tasks: TaskChanges,
) -> Comparison:
    changes, remarks = [], {}
    faults: Counter[str] = Counter()
    for student in sorted({*before, *after}):
        outcome = outcomes.get(student)
        old, new = _report(course, slug, student), outcome.report if outcome else None
        changed = task_changes(before.get(student), after.get(student), old, new, tasks.renamed)
        if changed:
            changes.append(StudentChange(student, changed))
        if remark := _remark(old, outcome):
            remarks[student] = remark
        faults.update(faults_of(changed, new))
    return Comparison(
        changes,
        looked_at=len({*before, *after}),
        said=tasks.said + tasks.warnings,
        remarks=remarks,
        faults=faults,
        before=distribution(before),
        after=distribution(after),
    )


def _report(course: Course, slug: str, student: str) -> Report | None:
    with suppress(ConfigError):
        return load_report(course.root, slug, student)
    return None


def _remark(old: Report | None, outcome: Outcome | None) -> str:
    if outcome is None:
        return "has nothing in submitted/ any more, so cannot be graded again"
    if outcome.refused:
        return f"not graded: {outcome.refused}"
    if old is None:
        return "was not graded before"
    if outcome.report and old.submission and old.submission != outcome.report.submission:
        return "has handed in something else since"
    return ""
