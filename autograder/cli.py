"""The command `autograder`: parses and prints; everything it does can be called from Python.

Exit status: 0 all done; 1 something waits for a person; 2 the course or the command is set up wrongly.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.batch import Outcome, grade_students, submitting_students
from autograder.build import require_fresh, write
from autograder.course import Course, load_course
from autograder.errors import AutograderError, ConfigError
from autograder.exercise import exercise_names
from autograder.export import ExportScores
from autograder.gradebook import open_gradebook, register
from autograder.report import Report, Status

_console = Console()
_STYLE = {Status.PASSED: "green", Status.UNGRADED: "bold magenta", Status.BY_HAND: "dim", Status.MISSING: "dim"}


class _Commands(click.Group):
    """Turns our own faults into one sentence and exit status 2."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except AutograderError as error:
            click.echo(f"autograder: {error}", err=True)
            sys.exit(2)


@click.group(cls=_Commands)
@click.version_option(package_name="autograder")
def main() -> None:
    """Grade deep-learning notebooks. Run it in the course folder."""


@main.command()
@click.argument("exercise")
@click.option("--student", "students", multiple=True, help="Only this student; may be repeated.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, type=click.IntRange(1), help="Processes.")
def grade(exercise: str, students: tuple[str, ...], jobs: int) -> None:
    """Grade the submissions of EXERCISE into nbgrader's gradebook."""
    course = _course()
    built = course.build(exercise)
    require_fresh(built, course.solutions, course.assignments)
    chosen = list(students) or submitting_students(course, exercise)
    if not chosen:
        raise ConfigError(f"no submissions: {course.submitted('*', exercise)} matches no folder")
    open_gradebook(course).close()
    register(course, exercise)
    with _progress() as progress:
        bar = progress.add_task(f"grading {exercise}", total=len(chosen))
        outcomes = grade_students(course, built, chosen, jobs, lambda _: progress.advance(bar))
    _print_scores(outcomes)
    _print_next_step(outcomes, exercise)
    sys.exit(1 if any(outcome.needs_a_person for outcome in outcomes) else 0)


@main.command()
@click.argument("exercises", nargs=-1)
def build(exercises: tuple[str, ...]) -> None:
    """Build the notebooks of EXERCISES (all, if none is named) into solutions/ and assignments/."""
    course = _course()
    for slug in exercises or exercise_names(course.exercises_folder):
        written = write(course.build(slug), course.solutions, course.assignments)
        for path in written:
            _console.print(f"wrote {path.relative_to(course.root)}", highlight=False)
        if not written:
            _console.print(f"{slug}: nothing has changed", highlight=False)


@main.command()
@click.option("--to", default="grades.csv", show_default=True, help="The CSV file to write.")
def export(to: str) -> None:
    """Write the scores of all students and assignments as CSV."""
    course = _course()
    with open_gradebook(course) as gradebook:
        ExportScores(to=to, config=course.config).export(gradebook)
    _console.print(f"wrote {to}", highlight=False)


def _course() -> Course:
    return load_course(Path.cwd())


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, TextColumn("left:"), TimeRemainingColumn(), console=_console)


def _print_scores(outcomes: list[Outcome]) -> None:
    reports = [outcome.evaluation.report for outcome in outcomes if outcome.evaluation]
    table = Table("student", title="Scores")
    for task in reports[0].tasks if reports else ():
        table.add_column(Text(f"{task.name}\n{task.points:g}"), justify="right", overflow="fold")
    table.add_column("points", justify="right")
    for outcome in outcomes:
        report = outcome.evaluation.report if outcome.evaluation else None
        table.add_row(Text(outcome.student), *(_cells(report) if report else ()))
    _console.print(table)
    for outcome in outcomes:
        _print_remarks(outcome)


def _cells(report: Report) -> list[Text]:
    cells = [
        Text(str(task.status) if task.earned is None else f"{task.earned:g}", style=_STYLE.get(task.status, "yellow"))
        for task in report.tasks
    ]
    return [*cells, Text(f"{report.earned:g}" if not report.ungraded else "?", style="bold")]


def _print_remarks(outcome: Outcome) -> None:
    if outcome.refused:
        _console.print(Text(f"{outcome.student}: not recorded: {outcome.refused}", style="bold red"))
    for finding in outcome.evaluation.report.findings if outcome.evaluation else ():
        _console.print(Text(f"{outcome.student}: {finding.kind}: {finding.message}", style="yellow"))


def _print_next_step(outcomes: list[Outcome], exercise: str) -> None:
    waiting = [outcome.student for outcome in outcomes if outcome.needs_a_person]
    if waiting:
        _console.print(Text(f"{len(waiting)} wait for a person: {', '.join(waiting)}", style="bold red"))
    _console.print(f"feedback pages: nbgrader generate_feedback {exercise}", highlight=False)
