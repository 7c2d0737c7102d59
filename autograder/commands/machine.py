"""The command about this machine: doctor. What loads nbgrader is imported where it is needed."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from autograder.commands.terminal import console, say, this_course
from autograder.errors import ExerciseError
from autograder.isolation.doctor import LAYERS, diagnose, why_not_warm


@click.command()
def doctor() -> None:
    """Say what protects this machine from students' code, and what is missing; in a course, its packages too."""
    diagnosis = diagnose()
    table = Table(
        "layer", "a student's process ...", "here", title="What stands between students' code and this machine"
    )
    for layer in LAYERS:
        reason = diagnosis.missing.get(layer.name)
        here = Text("yes", style="green") if reason is None else Text(f"no: {reason}\n{layer.remedy}", style="yellow")
        table.add_row(layer.name, layer.guarantee, here)
    console.print(table)
    if diagnosis.is_safe:
        say("Students' code is shut in: a process like theirs reached nothing that it must not reach.")
    else:
        say(f"NOT SAFE: a process like a student's is not shut off from: {', '.join(diagnosis.breaches)}.")
        say("`autograder grade` refuses to run here. A container may help: see docs/security.md.")
    lacks = [_lacks(name, packages) for name, packages in _packages_of_exercises().items()]
    sys.exit(0 if diagnosis.is_safe and not any(lacks) else 1)


def _packages_of_exercises() -> dict[str, tuple[str, ...]]:
    """Of the course in this folder, if it is one; exercises with the same packages in one line."""
    if not (Path.cwd() / "nbgrader_config.py").is_file():
        return {}
    course = this_course()
    names: dict[tuple[str, ...], list[str]] = {}
    for slug in course.exercise_names:
        try:
            names.setdefault(course.exercise(slug).packages, []).append(slug)
        except ExerciseError as error:
            say(str(error))
    return {", ".join(slugs): packages for packages, slugs in names.items()}


def _lacks(exercises: str, packages: tuple[str, ...]) -> bool:
    reason = why_not_warm(packages)
    say(f"{exercises}: {reason or 'packages are there: ' + ', '.join(packages)}")
    return bool(reason)
