"""What the commands share: the course they run in, and how they print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from autograder.course.course import Course

console = Console()
jobs_option = click.option(
    "--jobs", default=os.cpu_count() or 1, show_default=True, type=click.IntRange(1), help="Processes."
)

cluster_option = click.option(
    "--cluster", "address", help="Grade on the Dask cluster of this scheduler, as tcp://host:8786."
)


def this_course() -> Course:
    """The course of the current folder."""
    from autograder.course.course import load_course  # it loads nbgrader

    return load_course(Path.cwd())


def seen_from(course: Course, path: Path) -> Path:
    """The path as people in the course folder read it; a whole one where it leads out of there."""
    return path.relative_to(course.root) if path.is_relative_to(course.root) else path


def progress_bar() -> Progress:
    """A bar with the time that has passed and an estimate of what is left."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    screen = Console(file=sys.stdout)  # a hidden suite that runs in this process holds back what it prints meanwhile
    return Progress(*columns, TextColumn("left:"), TimeRemainingColumn(), console=screen)


@contextmanager
def counted(what: str) -> Iterator[tuple[Callable[[int], None], Callable[[object], None]]]:
    """A bar that is there once it is told of how many things, and goes on with each that is done."""
    progress = progress_bar()
    bar = progress.add_task(what)

    def started(total: int) -> None:  # what is refused before that is one sentence, and no bar
        progress.update(bar, total=total)
        progress.start()

    try:
        yield started, lambda _: progress.advance(bar)
    finally:
        progress.stop()


def say(text: str) -> None:
    """Print a text as it is: Rich would wrap it, colour its numbers and read brackets as markup."""
    click.echo(text)
