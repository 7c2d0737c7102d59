"""The commands about changes of scores: regrade, log."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from autograder.commands.grading import evaluator_of, print_graded, saying_who_waits
from autograder.commands.terminal import cluster_option, console, counted, jobs_option, say, this_course
from autograder.course.last_run import LastRun
from autograder.errors import ConfigError
from autograder.scrub import plain_line

if TYPE_CHECKING:
    from autograder.course.comparison import Comparison, StudentChange, TaskChange, TestChange
    from autograder.course.score_log import Change
    from autograder.standing import Entry


@click.command()
@click.argument("exercise")
@click.option("--apply", "record", is_flag=True, help="Record it.")
@click.option(
    "--renamed", multiple=True, metavar="OLD=NEW", help="A task that is called otherwise now; may be repeated."
)
@cluster_option
@jobs_option
def regrade(exercise: str, record: bool, renamed: tuple[str, ...], address: str | None, jobs: int) -> None:
    """Show for whom grading EXERCISE again would change something, before anything is written."""
    from autograder.batch.regrade import apply, compare  # it loads nbgrader

    names = dict(_pair(one) for one in renamed)
    course = this_course()
    with evaluator_of(jobs, address) as evaluator:
        with counted(f"grading {exercise}") as (started, done):
            comparison = compare(course, exercise, evaluator, names, started, done)
        _print_comparison(comparison)
        if comparison.faults:
            say(
                f"the suite or this machine failed there, no student did: mend that, then autograder regrade {exercise}"
            )
            say("nothing is written")
            sys.exit(1)
        if not record:
            options = "".join(f" --renamed {one}" for one in renamed)
            say(f"nothing is written; to record it: autograder regrade {exercise}{options} --apply")
            return
        last_run = LastRun(Path.cwd(), exercise, [(), False])  # as `grade` without options asks
        with saying_who_waits(exercise), counted(f"recording {exercise}") as (started, done):
            graded = apply(course, exercise, evaluator, names, last_run, started, done)
    sys.exit(print_graded(graded, exercise))


def _pair(text: str) -> tuple[str, str]:
    old, _, new = text.partition("=")
    if not (old and new):
        raise click.BadParameter(f"{text!r} is not OLD=NEW", param_hint="--renamed")
    return old, new


@click.command()
@click.argument("exercise")
@click.argument("students", nargs=-1)
@click.option("--to", type=click.Path(path_type=Path), help="Write it as a CSV file, in place of printing it.")
def log(exercise: str, students: tuple[str, ...], to: Path | None) -> None:
    """Say when, from what to what and why scores of EXERCISE changed, in UTC: of STUDENTS, or of all."""
    from autograder.course.gradebook import gradebook_to_read
    from autograder.course.score_log import note_found, read_log

    course = this_course()
    with gradebook_to_read(course) as gradebook:
        if exercise not in {assignment.name for assignment in gradebook.assignments}:
            raise ConfigError(f"the gradebook has nothing of `{exercise}`; run `autograder grade {exercise}` first")
        note_found(course, gradebook, exercise)
        known = {student.id for student in gradebook.students}
    changes, broken = read_log(course.root, exercise)
    _require_known(students, exercise, changes, known)
    chosen = [change for change in changes if not students or change.student in students]
    if to:
        _write_csv(chosen, to)
        say(f"wrote {to}: {len(chosen)} changes")
    else:
        _print_changes(chosen)
        if not chosen:
            say("no score has changed")
    if broken:
        say(f"{len(broken)} lines of the log cannot be read: {', '.join(map(str, broken))}")
    sys.exit(1 if broken else 0)


def _print_comparison(found: Comparison) -> None:
    for sentence in found.said:
        say(sentence)
    if found.changes:
        table = Table("student", "task", title="What would change")
        table.add_column("from", justify="right")
        table.add_column("to", justify="right")
        table.add_column("by which test")
        for change in found.changes:
            for task in change.tasks:
                table.add_row(*(Text(plain_line(text)) for text in _change_cells(change, task)))
        console.print(table)
        _print_distributions(found)
    say(f"{found.concerned} of {found.looked_at} students would have other scores or maxima")
    for student, remark in found.remarks.items():
        say(f"{plain_line(student)} {plain_line(remark)}")
    for fault, count in found.faults.items():
        say(f"{count} {'student' if count == 1 else 'students'} would be ungraded: {plain_line(fault)}")


def _change_cells(change: StudentChange, task: TaskChange) -> tuple[str, ...]:
    because = ", ".join([*map(_test, task.tests), *([task.kept] if task.kept else [])])
    return change.student, task.task, _entry(task.before), _entry(task.after), because


def _entry(entry: Entry | None) -> str:
    if entry is None:
        return "–"
    return f"{_number(entry.earned)} / {entry.points:g}" if entry.points else _number(entry.earned)


def _test(test: TestChange) -> str:
    return f"{test.name}: {test.before or 'not there'} → {test.after or 'not there'}"


def _print_distributions(found: Comparison) -> None:
    table = Table("share of the points", title="The class")
    for column in ("before", "after"):
        table.add_column(column, justify="right")
    for tenth, (before, after) in enumerate(zip(found.before, found.after, strict=True)):
        table.add_row(f"{10 * tenth} to {10 * (tenth + 1)} %", str(before), str(after))
    console.print(table)


def _print_changes(changes: list[Change]) -> None:
    """Two lines each, as names are long and terminals are not wide."""
    for one in changes:
        when = one.when[:16].replace("T", " ")
        of = f" of {one.points:g}" if one.points else ""  # a penalty is of none
        version = f"version {one.version}" if one.version else ""
        because = ", ".join(part for part in (one.why, one.by and f"by {one.by}", version) if part)
        say(f"{when}  {plain_line(one.student)}  {plain_line(one.task)}: {_number(one.old)} → {_number(one.new)}{of}")
        say(f"    {plain_line(because)}")


def _require_known(students: tuple[str, ...], exercise: str, changes: list[Change], known: set[str]) -> None:
    """Errors: ConfigError where neither the gradebook nor the log has a student of a name."""
    for student in students:
        if student not in known | {change.student for change in changes}:
            raise ConfigError(f"neither the gradebook nor the log of `{exercise}` has a student {plain_line(student)}")


def _write_csv(changes: list[Change], to: Path) -> None:
    import msgspec

    from autograder.course.export import harmless
    from autograder.course.score_log import Change

    try:
        with to.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(Change.__struct_fields__)
            for one in changes:
                cells = msgspec.structs.astuple(one)
                writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])
    except OSError as error:
        raise ConfigError(f"{to} cannot be written: {error.strerror}") from None


def _number(score: float | None) -> str:
    return "–" if score is None else f"{score:g}"
