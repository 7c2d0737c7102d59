"""The command `autograder`: parses and prints; everything it does can be called from Python.

Exit status: 0 all done; 1 something waits for a person; 2 the course or the command is set up wrongly; 3 a fault of
the grader itself.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.authoring.leaks import refuse_leaks
from autograder.authoring.page import as_html
from autograder.authoring.scaffold import KINDS, init_course, new_exercise
from autograder.authoring.summary import describe
from autograder.authoring.trials import solutions_of
from autograder.authoring.verify import Verification
from autograder.authoring.verify import verify as verify_exercise
from autograder.batch import Outcome, grade_students, submitting_students
from autograder.build import Built, require_fresh, write
from autograder.course import Course, load_course
from autograder.doctor import LAYERS, diagnose, require_safety
from autograder.errors import AutograderError, ConfigError, ExerciseError
from autograder.export import ExportScores
from autograder.feedback import explain
from autograder.gradebook import open_gradebook, register
from autograder.report import Finding, Report, Status, TaskResult, count_mistakes
from autograder.reports import load_report, reported_students
from autograder.scrub import plain_line

_console = Console()
_STYLE = {Status.UNGRADED: "bold red", Status.MISSING: "dim", Status.SKIPPED: "dim"}


class _Commands(click.Group):
    """Our own faults become one sentence and exit status 2, all others a traceback and 3."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except AutograderError as error:
            click.echo(f"autograder: {error}", err=True)
            sys.exit(2)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:
            traceback.print_exc()
            sys.exit(3)


_jobs = click.option(
    "--jobs", default=os.cpu_count() or 1, show_default=True, type=click.IntRange(1), help="Processes."
)


@click.group(cls=_Commands)
@click.version_option(package_name="autograder")
def main() -> None:
    """Grade deep-learning notebooks. Run it in the course folder."""


@main.command()
@click.argument("exercise")
@click.option("--student", "students", multiple=True, help="Only this student; may be repeated.")
@click.option("--allow-unsafe", is_flag=True, help="Grade even where students' code cannot be shut in.")
@_jobs
def grade(exercise: str, students: tuple[str, ...], allow_unsafe: bool, jobs: int) -> None:
    """Grade the submissions of EXERCISE into nbgrader's gradebook."""
    course = _course()
    course.allow_unsafe = course.allow_unsafe or allow_unsafe
    built = course.build(exercise)
    require_fresh(built, course.solutions, course.assignments)
    chosen = list(students) or submitting_students(course, exercise)
    if not chosen:
        raise ConfigError(f"no submissions: {course.submitted('*', exercise)} matches no folder")
    if not course.allow_unsafe:
        require_safety(course.without_layers)
    open_gradebook(course).close()
    register(course, exercise)
    with _progress() as progress:
        bar = progress.add_task(f"grading {exercise}", total=len(chosen))
        outcomes = grade_students(course, built, chosen, jobs, lambda _: progress.advance(bar))
    _print_scores(outcomes)
    _print_mistakes([outcome.evaluation.report for outcome in outcomes if outcome.evaluation])
    _print_next_step(outcomes, exercise)
    sys.exit(1 if any(outcome.needs_a_person for outcome in outcomes) else 0)


@main.command()
def doctor() -> None:
    """Say what protects this machine from students' code, and what is missing."""
    diagnosis = diagnose()
    table = Table(
        "layer", "a student's process ...", "here", title="What stands between students' code and this machine"
    )
    for layer in LAYERS:
        reason = diagnosis.missing.get(layer.name)
        here = Text("yes", style="green") if reason is None else Text(f"no: {reason}\n{layer.remedy}", style="yellow")
        table.add_row(layer.name, layer.guarantee, here)
    _console.print(table)
    if diagnosis.is_safe:
        _say("Students' code is shut in: a process like theirs reached nothing that it must not reach.")
    else:
        _say(f"NOT SAFE: a process like a student's is not shut off from: {', '.join(diagnosis.broken)}.")
        _say("`autograder grade` refuses to run here. A container may help: see docs/security.md.")
    sys.exit(0 if diagnosis.is_safe else 1)


@main.command()
@click.argument("exercises", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing; fail where a built file is stale.")
def build(exercises: tuple[str, ...], check: bool) -> None:
    """Build the notebooks of EXERCISES (all, if none is named) into solutions/ and assignments/."""
    course = _course()
    for slug in exercises or course.exercise_names:
        built = course.build(slug)
        refuse_leaks(built)
        if check:
            require_fresh(built, course.solutions, course.assignments)
        for path in write(built, course.solutions, course.assignments):
            _say(f"wrote {path.relative_to(course.root)}")
        _say(f"{slug} is built")


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Make the course folder FOLDER."""
    for path in init_course(folder):
        _say(f"wrote {path}")
    _say(f"next: cd {folder}; autograder new my-first-exercise")


@main.command()
@click.argument("exercise")
@click.option("--kind", default="numpy", show_default=True, type=click.Choice(KINDS))
def new(exercise: str, kind: str) -> None:
    """Start the exercise EXERCISE as a small one that works, to be changed into your own."""
    course = _course()
    for path in new_exercise(course.exercises_folder, exercise, kind):
        _say(f"wrote {path.relative_to(course.root)}")
    _say(f"next: change them, then run `autograder verify {exercise}`")


@main.command()
@click.argument("exercises", nargs=-1)
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(1), help="For right solutions.")
@click.option("--html", type=click.Path(path_type=Path), help="A folder for a page of each exercise.")
@_jobs
def verify(exercises: tuple[str, ...], seeds: int, html: Path | None, jobs: int) -> None:
    """Prove the hidden suites of EXERCISES, all by default: right work passes, mistakes are caught, nothing leaks."""
    course = _course()
    verified = [_verify(course.build(slug), seeds, jobs, html) for slug in exercises or course.exercise_names]
    sys.exit(0 if all(one.passed for one in verified) else 1)


@main.command()
@click.argument("exercise")
@_jobs
def release(exercise: str, jobs: int) -> None:
    """Verify EXERCISE, build it and enter it in the gradebook: its folder in assignments/ can be handed out then."""
    course = _course()
    built = course.build(exercise)
    if not _verify(built, 5, jobs, None).passed:
        raise ExerciseError(f"`{exercise}` is not released: its hidden suite is rejected")
    for path in write(built, course.solutions, course.assignments):
        _say(f"wrote {path.relative_to(course.root)}")
    open_gradebook(course).close()
    register(course, exercise)
    _say(f"{exercise} is released: hand out {course.assignments.relative_to(course.root) / exercise}")


def _verify(built: Built, seeds: int, jobs: int, html: Path | None) -> Verification:
    slug = built.exercise.slug
    with _progress() as progress:
        bar = progress.add_task(f"verifying {slug}", total=len(solutions_of(built, seeds)))
        verification = verify_exercise(built, seeds, jobs, lambda: progress.advance(bar))
    _say(describe(verification, _console.width))
    if html:
        html.mkdir(parents=True, exist_ok=True)
        page = html / f"{slug}.html"
        page.write_text(as_html(verification), encoding="utf-8")
        _say(f"wrote {page}")
    return verification


@main.command()
@click.argument("exercise")
@click.argument("students", nargs=-1)
def show(exercise: str, students: tuple[str, ...]) -> None:
    """Say why points were lost: for STUDENTS, or for all whose EXERCISE is graded."""
    course = _course()
    chosen = students or reported_students(course, exercise)
    if not chosen:
        raise ConfigError(f"nothing is graded yet; run `autograder grade {exercise}` first")
    reports = {student: load_report(course, exercise, student) for student in chosen}
    for student, report in reports.items():
        _say(f"{plain_line(student)}\n{explain(report)}\n")
    if not students:
        _print_mistakes(list(reports.values()))


@main.command()
@click.option("--to", default="grades.csv", show_default=True, help="The CSV file to write.")
def export(to: str) -> None:
    """Write the scores of all students and assignments as CSV."""
    course = _course()
    with open_gradebook(course) as gradebook:
        ExportScores(to=to, config=course.config).export(gradebook)
    _say(f"wrote {to}")


def _course() -> Course:
    return load_course(Path.cwd())


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, TextColumn("left:"), TimeRemainingColumn(), console=_console)


def _print_scores(outcomes: list[Outcome]) -> None:
    table = Table("student", title="Scores")
    table.add_column("points", justify="right")
    table.add_column("where points are missing")
    for outcome in outcomes:
        table.add_row(Text(plain_line(outcome.student)), *_score_cells(outcome))
    _console.print(table)


def _print_mistakes(reports: list[Report]) -> None:
    if counted := count_mistakes(reports):
        table = Table("students", "task", "known mistake", title="Known mistakes")
        for count, task, mistake in counted:
            table.add_row(str(count), task, Text(mistake.title))
        _console.print(table)


def _score_cells(outcome: Outcome) -> tuple[Text, Text]:
    if outcome.evaluation is None:
        return Text("–"), Text(f"not graded: {plain_line(outcome.refused)}", style="bold red")
    report = outcome.evaluation.report
    points = f"{report.earned:g} / {report.automatic_points:g}"
    remarks = [_remark(task) for task in report.tasks if task.status not in (Status.PASSED, Status.BY_HAND)]
    remarks += [Text(f"file {finding.kind}", style="yellow") for finding in _by_kind(report)]
    if outcome.refused:
        remarks.insert(0, Text(f"not recorded: {plain_line(outcome.refused)}", style="bold red"))
    return Text("?" if report.ungraded else points, style="bold"), Text(", ").join(remarks)


def _remark(task: TaskResult) -> Text:
    earned = "" if task.earned is None else f" {task.earned:g}/{task.points:g}"
    return Text(f"{task.name}{earned} {task.status}", style=_STYLE.get(task.status, ""))


def _by_kind(report: Report) -> list[Finding]:
    return list({finding.kind: finding for finding in report.findings}.values())


def _print_next_step(outcomes: list[Outcome], exercise: str) -> None:
    waiting = [outcome.student for outcome in outcomes if outcome.needs_a_person]
    if waiting:
        _console.print(Text(f"{len(waiting)} wait for a person: {plain_line(', '.join(waiting))}", style="bold red"))
    _say(f"why points were lost: autograder show {exercise} [STUDENT]")
    _say(f"pages for students:   nbgrader generate_feedback --force {exercise}")


def _say(text: str) -> None:
    """Print a text as it is: Rich would wrap it, colour its numbers and read brackets as markup."""
    click.echo(text)
