"""The command that takes in what was handed in elsewhere: collect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.commands.terminal import say, this_course
from autograder.scrub import plain_line

if TYPE_CHECKING:
    from autograder.course.collecting.collect import Collected


@click.command()
@click.argument("download", metavar="ZIP", type=click.Path(path_type=Path))
@click.argument("exercise")
@click.option("--table", type=click.Path(path_type=Path), help="A CSV file that says which student is who.")
def collect(download: Path, exercise: str, table: Path | None) -> None:
    """Lay out ZIP, all submissions for EXERCISE as Canvas, Moodle or Gradescope gives them, in submitted/."""
    from autograder.course.assignments import load_assignment
    from autograder.course.collecting.collect import collect as lay_out
    from autograder.course.collecting.roster import Roster
    from autograder.course.gradebook import gradebook_to_read

    course = this_course()
    notebooks = tuple(load_assignment(course, exercise).notebooks)
    if table:
        roster = Roster.of_table(table)
    else:
        with gradebook_to_read(course) as gradebook:
            roster = Roster.of_gradebook(gradebook)
    found = lay_out(course, exercise, download, roster, notebooks)
    _say_what_lies(found, course.submissions)
    for place, reason in found.unmatched.items():
        say(f"not taken: {plain_line(place)}: {reason}")
    if found.unmatched and not table:
        say("students are matched by nbgrader's table; --table FILE.csv takes another: id, name, email, number")
    say(f"next: autograder grade {exercise}")
    sys.exit(1 if found.unmatched else 0)


def _say_what_lies(found: Collected, submissions: Path) -> None:
    say(f"{found.system}: {len(found.taken)} submissions were laid out in {submissions}")
    if found.unchanged:
        say(f"{len(found.unchanged)} were laid out before and stay as they lie")
    if found.kept:
        say(f"{len(found.kept)} stay as they are, since they were handed in later: {', '.join(found.kept)}")
    if found.late:
        say(f"{found.system} says of {len(found.late)} that they are late, and not when: {', '.join(found.late)}")
        say("  put the time into timestamp.txt beside their notebooks, if there is a penalty")
    for student, folder in found.set_aside.items():
        say(f"{student} has handed in something newer; the older one, with what was put there by hand, is in {folder}")
        if (folder / "timestamp.txt").is_file():
            say("  its timestamp.txt is not that of the newer one")
    for student, reason in found.refused.items():
        say(f"{student} cannot be graded so: {reason}")
