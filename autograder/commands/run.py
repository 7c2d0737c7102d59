"""A run of `autograder grade` that has something to do. It loads nbgrader, so the command loads it no sooner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy

from autograder.batch import grade_students, submitting_students
from autograder.build import require_fresh
from autograder.commands.terminal import progress_bar, say, this_course
from autograder.course import Course
from autograder.doctor import require_safety
from autograder.errors import ConfigError
from autograder.gradebook import open_gradebook, register
from autograder.report import Outcome
from autograder.reports import reports_folder
from autograder.unchanged import LastRun

if TYPE_CHECKING:
    from autograder.cluster import Cluster


def run(
    exercise: str,
    students: Sequence[str],
    jobs: int,
    *,
    allow_unsafe: bool,
    fresh: bool,
    address: str | None,
    last_run: LastRun,
) -> list[Outcome]:
    """Grade and record; the parameters are the command's options."""
    course = this_course()
    course.allow_unsafe = course.allow_unsafe or allow_unsafe
    last_run.begin(_read_by(course, exercise))
    built = course.build(exercise)
    require_fresh(built, course.solutions, course.assignments)
    chosen = list(students) or submitting_students(course, exercise)
    if not chosen:
        raise ConfigError(f"no submissions: {course.submitted('*', exercise)} matches no folder")
    with _safe_place(course, address) as cluster:
        open_gradebook(course).close()
        register(course, exercise)
        with progress_bar() as progress:
            bar = progress.add_task(f"grading {exercise}", total=len(chosen))
            outcomes = grade_students(course, built, chosen, jobs, lambda _: progress.advance(bar), fresh, cluster)
    if not any(outcome.needs_a_person for outcome in outcomes) and (written := _written_by(course, exercise)):
        last_run.complete(chosen, written)
    return outcomes


def _read_by(course: Course, exercise: str) -> list[Path]:
    folders = (course.exercises_folder, course.solutions, course.assignments)
    return [*(folder / exercise for folder in folders), course.submitted("*", exercise)]


def _written_by(course: Course, exercise: str) -> list[Path]:
    """None for a gradebook that is no file: nobody can tell at once whether it has changed."""
    url = sqlalchemy.make_url(course.db_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        return []
    return [Path(url.database), course.autograded("*", exercise), reports_folder(course.root, exercise)]


@contextmanager
def _safe_place(course: Course, address: str | None) -> Iterator[Cluster | None]:
    """Where students' code runs: this machine, or a cluster, each of whose workers sees to its own safety."""
    if not address:
        if not course.allow_unsafe:
            require_safety(course.without_layers)
        yield None
        return
    from autograder.cluster import Cluster  # it loads Dask, which not everybody has

    with Cluster(address) as cluster:
        if not cluster.workers():
            say(f"{address} has no workers yet; waiting for them")
        yield cluster
