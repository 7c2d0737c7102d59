"""The commands of instructors: grade, show. What loads nbgrader is imported where it is needed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from autograder.commands.terminal import cluster_option, console, counted, jobs_option, say, this_course
from autograder.course.last_run import Graded, LastRun
from autograder.course.reports import load_report, refusal, reported_students
from autograder.errors import ConfigError
from autograder.report import Finding, Outcome, Report, Status, TaskResult, amended, count_mistakes, count_unavailable
from autograder.scrub import plain_line

if TYPE_CHECKING:
    from nbgrader.api import Gradebook

    from autograder.batch.evaluators import Evaluator

_STYLE = {Status.UNGRADED: "bold red", Status.MISSING: "dim", Status.CARRIED: "dim"}


@click.command()
@click.argument("exercise")
@click.option("--student", "students", multiple=True, help="Only this student; may be repeated.")
@click.option("--allow-unsafe", is_flag=True, help="Grade even where students' code cannot be shut in.")
@click.option("--fresh", is_flag=True, help="Grade also what has not changed since the last time.")
@cluster_option
@jobs_option
def grade(
    exercise: str, students: tuple[str, ...], allow_unsafe: bool, fresh: bool, address: str | None, jobs: int
) -> None:
    """Grade the submissions of EXERCISE into nbgrader's gradebook."""
    last_run = LastRun(Path.cwd(), exercise, [students, allow_unsafe])
    graded = None if fresh or address else last_run.graded()
    if graded is None:
        with evaluator_of(jobs, address) as evaluator, saying_who_waits(exercise):
            graded = _graded(exercise, students, evaluator, last_run, allow_unsafe, fresh)
    else:
        say(f"nothing has changed since the last run over {exercise}")
    sys.exit(print_graded(graded, exercise))


def print_graded(graded: Graded, exercise: str) -> int:
    """Print what a run came to; the exit status."""
    outcomes = graded.outcomes
    _print_scores(outcomes)
    reports = [outcome.report for outcome in outcomes if outcome.report]
    _print_mistakes(reports)
    _print_unavailable(reports)
    for trust in {report.trust: None for report in reports if report.trust}:
        say(trust)
    if graded.absent:
        say(f"{graded.absent} {'student' if graded.absent == 1 else 'students'} handed in nothing for {exercise}")
    for one in graded.left:
        say(f"{plain_line(one.student)} {one.said}")
    _print_next_step(graded.waiting, exercise)
    return 1 if graded.waiting else 0


@contextmanager
def saying_who_waits(exercise: str) -> Iterator[None]:
    """Where the run inside is interrupted: of whom a task has no score, as when it is worth other points now."""
    from autograder.course.gradebook import gradebook_to_read
    from autograder.course.standings import recorded_standings

    try:
        yield
    except KeyboardInterrupt:
        with suppress(ConfigError), gradebook_to_read(this_course()) as gradebook:
            ungraded = [one for one in recorded_standings(gradebook, exercise).values() if one.is_ungraded]
            tasks = ", ".join(sorted({task for one in ungraded for task in one.unscored}))
            if ungraded:
                whose = "1 student waits" if len(ungraded) == 1 else f"{len(ungraded)} students wait"
                say(f"{whose} for a score, of {plain_line(tasks)}: autograder grade {exercise} goes on and finishes it")
        raise


def _graded(
    exercise: str, students: tuple[str, ...], evaluator: Evaluator, last_run: LastRun, allow_unsafe: bool, fresh: bool
) -> Graded:
    from autograder.batch.run import grade_exercise  # it loads nbgrader

    course = this_course()
    course.allow_unsafe = course.allow_unsafe or allow_unsafe
    with counted(f"grading {exercise}") as (started, done):
        return grade_exercise(course, exercise, students, evaluator, last_run, fresh=fresh, started=started, done=done)


@contextmanager
def evaluator_of(jobs: int, address: str | None) -> Iterator[Evaluator]:
    """What evaluates on so many processes of this machine, or on a cluster."""
    if not address:
        from autograder.batch.evaluators import Processes

        yield Processes(jobs)
        return
    from autograder.batch.cluster import Cluster  # it loads Dask, which not everybody has

    with Cluster(address) as cluster:
        if not cluster.workers():
            say(f"{address} has no workers yet; waiting for them")
        yield cluster


@click.command()
@click.argument("exercise")
@click.argument("students", nargs=-1)
def show(exercise: str, students: tuple[str, ...]) -> None:
    """Say why points were lost, or why nothing was graded: for STUDENTS, or for all whose EXERCISE was looked at."""
    from autograder.course.gradebook import gradebook_to_read

    course = this_course()
    assignment, _, notebook = exercise.partition("/")
    if notebook:
        raise ConfigError(f"`{exercise}` is one notebook of `{assignment}`; name that")
    submitting = set(course.submitting_students(exercise))
    reported = set(reported_students(course.root, exercise))
    refused = {student for student in submitting if refusal(course.root, exercise, student)}
    chosen = students or sorted(reported | refused)
    if not chosen:
        raise ConfigError(f"nothing is graded yet; run `autograder grade {exercise}` first")
    with gradebook_to_read(course) as gradebook:
        known = submitting | reported
        reports = {student: _shown(course.root, exercise, student, gradebook, student in known) for student in chosen}
    if not students:
        _print_mistakes([report for report in reports.values() if report])
        if waiting := len(submitting - reported - refused):
            say(f"{waiting} more are not graded yet: autograder grade {exercise}")
    sys.exit(0 if all(report and not report.ungraded for report in reports.values()) else 1)


def _shown(root: Path, exercise: str, student: str, gradebook: Gradebook, is_known: bool) -> Report | None:
    from autograder.course.standings import find_standing
    from autograder.grading.explain import explain
    from autograder.submission.handed_in import name_fault  # it reads dates, which takes a while to load

    name = plain_line(student)
    try:
        if fault := name_fault(student):
            raise ConfigError(fault)
        if not is_known:
            raise ConfigError(f"nobody of this name has handed in `{exercise}`")
        report = load_report(root, exercise, student)
    except ConfigError as error:
        say(f"{name}\n  {plain_line(str(error))}\n")
        return None
    again = (
        f"\n  when that is mended: autograder grade {exercise} --student {shlex.quote(name)}" if report.ungraded else ""
    )
    say(f"{name}\n{explain(report, find_standing(gradebook, student, report))}{again}\n")
    return report


def _print_scores(outcomes: list[Outcome]) -> None:
    table = Table("student", title="Scores")
    table.add_column("points", justify="right")
    table.add_column("where points are missing")
    for outcome in outcomes:
        table.add_row(Text(plain_line(outcome.student)), *_score_cells(outcome))
    console.print(table)


def _print_mistakes(reports: list[Report]) -> None:
    if counted := count_mistakes(reports):
        table = Table("students", "task", "known mistake", title="Known mistakes")
        for count, task, mistake in counted:
            table.add_row(str(count), task, Text(mistake.title))
        console.print(table)


def _print_unavailable(reports: list[Report]) -> None:
    for count, message in count_unavailable(reports):
        say(f"{count} {'student' if count == 1 else 'students'}: {plain_line(message)}")


def _score_cells(outcome: Outcome) -> tuple[Text, Text]:
    if outcome.report is None:
        return Text("–"), Text(f"not graded: {plain_line(outcome.refused)}", style="bold red")
    report = amended(outcome.report, outcome.standing) if outcome.standing else outcome.report
    remarks = [_remark(task) for task in report.tasks if task.status not in (Status.PASSED, Status.BY_HAND)]
    remarks += [Text(f"file {finding.kind}", style="yellow") for finding in _by_kind(report)]
    if outcome.refused:
        remarks.insert(0, Text(f"not recorded: {plain_line(outcome.refused)}", style="bold red"))
    return Text(_points(outcome, report), style="bold"), Text(", ").join(remarks)


def _points(outcome: Outcome, report: Report) -> str:
    standing = outcome.standing
    if outcome.needs_a_person and not outcome.refused:
        return "?"
    if standing is None:
        return f"{report.earned:g} / {report.automatic_points:g}"
    return ", ".join([f"{standing.earned:g} / {standing.counted:g}", *standing.remarks])


def _remark(task: TaskResult) -> Text:
    earned = "" if task.earned is None else f" {task.earned:g}/{task.points:g}"
    return Text(f"{task.name}{earned} {task.status}", style=_STYLE.get(task.status, ""))


def _by_kind(report: Report) -> list[Finding]:
    return list({finding.kind: finding for finding in report.findings}.values())


def _print_next_step(waiting: list[str], exercise: str) -> None:
    if waiting:
        console.print(Text(f"{len(waiting)} wait for a person: {plain_line(', '.join(waiting))}", style="bold red"))
    say(f"why points were lost: autograder show {exercise} [STUDENT]")
    say(f"pages for students:   nbgrader generate_feedback --force {exercise}")
