"""The commands of instructors once a class is graded: export, report, similar, status; and gradescope."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from autograder.commands.terminal import console, say, seen_from, this_course
from autograder.scrub import plain_line

if TYPE_CHECKING:
    from autograder.course.class_report import ClassReport
    from autograder.course.course import Course
    from autograder.course.progress import Progress

_FORMATS = ("csv", "wide", "canvas", "moodle", "gradescope", "ctrf", "junit")
_TABLES = _FORMATS[1:4]
_NAMED = 20  # of those who wait; `autograder report` has all


@click.command()
@click.argument("exercises", nargs=-1)
@click.option("--format", "kind", default="csv", show_default=True, type=click.Choice(_FORMATS))
@click.option("--to", default="", help="The file; of gradescope, ctrf and junit the folder.  [default: grades...]")
def export(exercises: tuple[str, ...], kind: str, to: str) -> None:
    """Write the scores of all students in EXERCISES, all by default.

    csv: a row for each student and assignment. wide: a row for each student, a column for each task. canvas, moodle:
    what their gradebooks import. gradescope, ctrf, junit: a file for each student, with the results of the tests.
    """
    from autograder.course.exports.formats import export as export_class
    from autograder.course.gradebook import gradebook_to_read
    from autograder.course.score_log import note_found

    course = this_course()
    with gradebook_to_read(course) as gradebook:
        for assignment in gradebook.assignments:
            note_found(course, gradebook, assignment.name)
        exported = export_class(course, gradebook, kind, to or _default_place(kind), exercises)
    say(f"wrote {exported.path}{'' if exported.files is None else f': {exported.files} files'}")
    if waiting := exported.waiting:
        more = f" and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
        say(f"{len(waiting)} have no final score in it and wait for a person: {', '.join(waiting[:_NAMED])}{more}")


def _default_place(kind: str) -> str:
    if kind == "csv":
        return "grades.csv"
    return f"grades-{kind}.csv" if kind in _TABLES else f"grades-{kind}"


@click.command()
@click.argument("exercise")
@click.option("--to", type=click.Path(path_type=Path), help="The page.  [default: EXERCISE.html in reports/]")
def report(exercise: str, to: Path | None) -> None:
    """Write a page about the class in EXERCISE, for staff: points, tasks, tests, mistakes, students."""
    from autograder.course.class_page import write_page

    course = this_course()
    page = to or course.root / "reports" / f"{exercise}.html"
    write_page(_class_report(course, exercise), page)
    say(f"wrote {seen_from(course, page)}")


@click.command()
@click.argument("exercise")
@click.option("--to", type=click.Path(path_type=Path), help="The page.  [default: EXERCISE.similar.html in reports/]")
def similar(exercise: str, to: Path | None) -> None:
    """Write a page for staff of solutions of EXERCISE that are alike: places to look, no verdicts."""
    from autograder.course.similar_page import write_page
    from autograder.course.similar_work import similar_work

    course = this_course()
    page = to or course.root / "reports" / f"{exercise}.similar.html"
    found = similar_work(course, exercise)
    write_page(found, page)
    say(f"wrote {seen_from(course, page)}: {found.compared} compared, pairs to look at: {len(found.pairs)}")
    if found.short:
        say(f"{len(found.short)} have too little code of their own to be compared")
    for student, reason in found.not_compared.items():
        say(f"{plain_line(student)} is not compared: {plain_line(reason)}")
    sys.exit(1 if found.not_compared else 0)


@click.command()
@click.argument("exercise")
@click.option("--to", type=click.Path(path_type=Path), help="The zip.  [default: EXERCISE-gradescope.zip]")
def gradescope(exercise: str, to: Path | None) -> None:
    """Pack EXERCISE as the autograder of a Gradescope assignment."""
    from autograder.course.exports.gradescope_zip import write_zip

    course = this_course()
    zipped = to or Path(f"{exercise}-gradescope.zip")
    write_zip(course, exercise, zipped)
    say(f"wrote {zipped}, which holds hidden tests and solutions: upload it to Gradescope, and nowhere else")


@click.command()
@click.argument("exercise", required=False)
def status(exercise: str | None) -> None:
    """Say how far all exercises are, and of EXERCISE how its tasks came out."""
    from autograder.course.gradebook import gradebook_to_read
    from autograder.course.progress import progress_of
    from autograder.course.standings import recorded_standings

    course = this_course()
    if exercise:
        found = _class_report(course, exercise)
        _print_progress([found.progress])
        _print_tasks(found)
        say(f"more of it, as a page: autograder report {exercise}")
        return
    with gradebook_to_read(course) as gradebook:
        _print_progress(
            [
                progress_of(course, gradebook, slug, recorded_standings(gradebook, slug))
                for slug in course.assignment_names
            ]
        )


def _class_report(course: Course, exercise: str) -> ClassReport:
    from autograder.course.class_report import class_report
    from autograder.course.gradebook import gradebook_to_read

    with gradebook_to_read(course) as gradebook:
        return class_report(course, gradebook, exercise)


def _print_progress(exercises: list[Progress]) -> None:
    from autograder.course.progress import Stage

    table = Table(title="How far it is")
    table.add_column("exercise", no_wrap=True)
    columns = ("handed\nin", "graded", "by\nhand", "ungraded", "refused", "to\ngrade", "pages")
    for column in columns:
        table.add_column(column, justify="right")
    for one in exercises:
        worrying = [one.counts[stage] for stage in (Stage.UNGRADED, Stage.REFUSED)]
        table.add_row(
            one.exercise,
            str(one.handed_in),
            str(one.graded),
            str(one.counts[Stage.HAND_GRADING]),
            *(Text(str(count), style="bold red" if count else "") for count in worrying),
            str(one.counts[Stage.TO_GRADE] + one.counts[Stage.CHANGED]),
            str(one.given_back),
        )
    console.print(table)
    for one in exercises:
        if changed := one.counts[Stage.CHANGED]:
            say(f"{one.exercise}: {changed} to grade again, as submission or exercise changed since they were graded")
            say(f"  whose scores that changes: autograder regrade {one.exercise}")


def _print_tasks(found: ClassReport) -> None:
    table = Table("task", title="Tasks")
    for column in ("points", "mean", "pass rate", "discrimination"):
        table.add_column(column, justify="right")
    table.add_column("most frequent known mistake")
    frequent = {one.where: f"{len(one.students)}: {one.what}" for one in reversed(found.mistakes)}
    for task in found.tasks:
        related = "–" if task.discrimination is None else f"{task.discrimination:.2f}"
        shares = ("–" if share is None else f"{share:.0%}" for share in (task.mean, task.passed))
        mistake = Text(plain_line(frequent.get(task.name, "")))
        table.add_row(task.name, f"{task.points:g}", *shares, related, mistake)
    console.print(table)
