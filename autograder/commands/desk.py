"""The commands of instructors once a class is graded: export. What loads nbgrader is imported where it is needed."""

from __future__ import annotations

import click

from autograder.commands.terminal import say, this_course

_FORMATS = ("csv", "wide", "canvas", "moodle", "gradescope", "ctrf", "junit")
_TABLES = _FORMATS[1:4]


@click.command()
@click.argument("exercises", nargs=-1)
@click.option("--format", "kind", default="csv", show_default=True, type=click.Choice(_FORMATS))
@click.option("--to", default="", help="The file; of gradescope, ctrf and junit the folder.  [default: grades...]")
def export(exercises: tuple[str, ...], kind: str, to: str) -> None:
    """Write the scores of all students in EXERCISES, all by default.

    csv: a row for each student and assignment. wide: a row for each student, a column for each task. canvas, moodle:
    what their gradebooks import. gradescope, ctrf, junit: a file for each student, with the results of the tests.
    """
    from autograder.course.database import readable
    from autograder.course.exports.formats import export as export_class
    from autograder.course.gradebook import open_gradebook

    course = this_course()
    with open_gradebook(course) as gradebook, readable(course.db_url):
        exported = export_class(course, gradebook, kind, to or _default_place(kind), exercises)
    say(f"wrote {exported.path}{'' if exported.files is None else f': {exported.files} files'}")
    if exported.waiting:
        say(f"no final score of {len(exported.waiting)}, who wait for a person: {', '.join(exported.waiting)}")


def _default_place(kind: str) -> str:
    if kind == "csv":
        return "grades.csv"
    return f"grades-{kind}.csv" if kind in _TABLES else f"grades-{kind}"
