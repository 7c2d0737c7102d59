"""The command about scores and what became of them: log."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from autograder.commands.terminal import console, say, this_course
from autograder.errors import ConfigError
from autograder.scrub import plain_line

if TYPE_CHECKING:
    from autograder.course.score_log import Change


@click.command()
@click.argument("exercise")
@click.argument("students", nargs=-1)
@click.option("--to", type=click.Path(path_type=Path), help="Write it as a CSV file, in place of printing it.")
def log(exercise: str, students: tuple[str, ...], to: Path | None) -> None:
    """Say when, from what to what and why scores of EXERCISE changed: of STUDENTS, or of all."""
    from autograder.course.gradebook import gradebook_to_read
    from autograder.course.score_log import note_found, read_log

    course = this_course()
    with gradebook_to_read(course) as gradebook:
        if exercise not in {assignment.name for assignment in gradebook.assignments}:
            raise ConfigError(f"the gradebook has nothing of `{exercise}`; run `autograder grade {exercise}` first")
        note_found(course, gradebook, exercise)
    changes, broken = read_log(course.root, exercise)
    chosen = [change for change in changes if not students or change.student in students]
    if to:
        _write_csv(chosen, to)
        say(f"wrote {to}: {len(chosen)} changes")
    else:
        _print_changes(chosen)
    if broken:
        say(f"{len(broken)} lines of the log cannot be read: {', '.join(map(str, broken))}")
    sys.exit(1 if broken else 0)


def _print_changes(changes: list[Change]) -> None:
    table = Table("when", "student", "task", title="Changes of scores")
    table.add_column("from", justify="right")
    table.add_column("to", justify="right")
    for name in ("why", "by", "version"):
        table.add_column(name)
    for one in changes:
        texts = (one.student, one.task, _number(one.old), _number(one.new), one.why, one.by, one.version)
        table.add_row(one.when, *(Text(plain_line(text)) for text in texts))
    console.print(table)


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
