"""A run of `autograder grade` that has something to do. It loads nbgrader, so the command loads it no sooner."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import sqlalchemy

from autograder.batch.run import grade_students, submitting_students
from autograder.commands.terminal import progress_bar, say, this_course
from autograder.course.folder import Course
from autograder.course.gradebook import open_gradebook, register
from autograder.course.last_run import LastRun
from autograder.course.reports import reports_folder
from autograder.errors import ConfigError
from autograder.exercise.build import require_fresh
from autograder.isolation.doctor import require_safety
from autograder.report import Outcome
from autograder.store import one_run

if TYPE_CHECKING:
    from autograder.batch.cluster import Cluster


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
    course.exercise(exercise)  # or a name that is none would get a folder
    with one_run(course.root, exercise):
        last_run.begin(_read_by(course, exercise))
        outcomes = _graded(course, exercise, students, jobs, fresh, address)
        if not any(one.needs_a_person for one in outcomes) and (written := _written_by(course, exercise)):
            last_run.complete([one.student for one in outcomes], written)
    return outcomes


def _graded(
    course: Course, exercise: str, students: Sequence[str], jobs: int, fresh: bool, address: str | None
) -> list[Outcome]:
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
            return grade_students(course, built, chosen, jobs, lambda _: progress.advance(bar), fresh, cluster)


def _read_by(course: Course, exercise: str) -> list[str]:
    folders = (course.exercises_folder, course.solutions, course.assignments)
    return [*(glob.escape(str(folder / exercise)) for folder in folders), str(course.submitted("*", exercise))]


def _written_by(course: Course, exercise: str) -> list[str]:
    """None where nobody can tell at once what has changed: a gradebook that is no file, own code for penalties."""
    url = sqlalchemy.make_url(course.db_url)
    own_penalties = "plugin_class" in course.config.get("AssignLatePenalties", {})
    if url.get_backend_name() != "sqlite" or not url.database or own_penalties:
        return []
    files = (url.database, str(reports_folder(course.root, exercise)))
    return [*map(glob.escape, files), str(course.autograded("*", exercise))]


@contextmanager
def _safe_place(course: Course, address: str | None) -> Iterator[Cluster | None]:
    """Where students' code runs: this machine, or a cluster, each of whose workers sees to its own safety."""
    if not address:
        if not course.allow_unsafe:
            require_safety(course.without_layers)
        yield None
        return
    from autograder.batch.cluster import Cluster  # it loads Dask, which not everybody has

    with Cluster(address) as cluster:
        if not cluster.workers():
            say(f"{address} has no workers yet; waiting for them")
        yield cluster
