"""Whichever way a class is graded, the points are the same: side by side, on a cluster, after a kill, by nbgrader.

The classes are the demo and all attacks.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from autograder.batch.evaluators import Processes
from autograder.batch.run import grade_students, submitting_students
from autograder.course.folder import Course, load_course
from autograder.course.gradebook import register
from autograder.course.reports import load_report, reported_students
from tests.attacks.world import ATTACKS, HERE, World, honest, submission
from tests.batch.test_cluster import local_cluster
from tests.nbgrader_course import BLOCK, CONNECTIONS, course_of, grades, nbgrader, submit
from tests.places import REPOSITORY

pytestmark = pytest.mark.slow
DEMO = REPOSITORY / "tests" / "demo" / "submitted"
SECONDS = 1500  # for all paths of a class; two to five minutes on a machine that does nothing else


def side_by_side(course: Course, slug: str) -> None:
    """`autograder grade` with two processes."""
    register(course, slug)
    grade_students(course, course.seeded(slug), submitting_students(course, slug), Processes(2))


def on_a_cluster(course: Course, slug: str) -> None:
    """The same with two workers."""
    from autograder.batch.cluster import Cluster

    register(course, slug)
    with local_cluster() as local, Cluster(local.scheduler_address) as cluster:
        students = submitting_students(course, slug)
        grade_students(course, course.seeded(slug), students, cluster)


def killed_and_resumed(course: Course, slug: str) -> None:
    """A run that is killed in the middle, and another one."""
    register(course, slug)
    half = len(submitting_students(course, slug)) // 2
    command = [sys.executable, "-c", "from autograder.cli import main; main()", "grade", slug, "--jobs", "2"]
    with (course.root / "log").open("w") as log:
        grader = subprocess.Popen(command, cwd=course.root, stdout=log, stderr=log, env={**os.environ})
        while len(reported_students(course.root, slug)) < half and grader.poll() is None:
            time.sleep(0.1)
        grader.send_signal(signal.SIGKILL)
    assert grader.wait(60) == -signal.SIGKILL
    side_by_side(course, slug)


def by_nbgrader(course: Course, slug: str) -> None:
    """`nbgrader autograde`, one after the other."""
    done = nbgrader(course.root, "autograde", "--force", slug, seconds=SECONDS)
    assert done.returncode == 0, done.stderr[-2000:]


PATHS = (side_by_side, on_a_cluster, killed_and_resumed, by_nbgrader)


@pytest.fixture
def new_course(tmp_path: Path) -> Callable[[Iterable[Path], dict[str, bytes]], Course]:
    """A course with exercises and submissions, by student and exercise."""

    def make(exercises: Iterable[Path], notebooks: dict[str, bytes]) -> Course:
        course = course_of(tmp_path / "course", *exercises)
        for slug in course.exercise_names:
            register(course, slug)
        for place, notebook in notebooks.items():
            student, slug = place.split("/")
            submit(course.root, student, slug, notebook)
        return course

    return make


def results(course: Course, slug: str) -> dict[str, object]:
    """All that a path leaves of a class: the gradebook's rows, and the reports less what hangs on the moment."""
    reports = {student: load_report(course.root, slug, student) for student in reported_students(course.root, slug)}
    statuses = {
        student: [
            (task.name, task.status, task.earned, [(test.name, test.status) for test in task.tests])
            for task in report.tasks
        ]
        for student, report in reports.items()
    }
    return {"rows": grades(course.root), "reports": statuses}


def assert_all_paths_agree(course: Course, slug: str) -> None:
    found = {}
    for path in PATHS:
        root = course.root.with_name(path.__name__)
        subprocess.run(["cp", "-R", str(course.root), str(root)], check=True)
        path(load_course(root), slug)
        found[path.__name__] = results(load_course(root), slug)
    expected = found[side_by_side.__name__]
    assert len(expected["reports"]) == len(submitting_students(course, slug))  # type: ignore[arg-type]
    for name, one in found.items():
        assert one == expected, name


@pytest.mark.parametrize("slug", [CONNECTIONS, BLOCK])
def test_all_paths_give_the_demo_class_the_same(
    slug: str, new_course: Callable[..., Course], within: Callable[[float], None]
) -> None:
    within(SECONDS)
    files = DEMO.glob(f"*/{slug}/{slug}.ipynb")
    notebooks = {f"{path.parts[-3]}/{slug}": path.read_bytes() for path in files}
    assert_all_paths_agree(new_course([REPOSITORY / "autograder" / "exercises" / slug], notebooks), slug)


def test_all_paths_give_a_class_of_attackers_the_same(
    world: World, new_course: Callable[..., Course], within: Callable[[float], None]
) -> None:
    within(SECONDS)
    course = new_course([HERE / "victim"], {})
    victim = course.build("victim")
    for attack in ATTACKS:
        submit(course.root, attack.name.replace("/", "-"), "victim", submission(victim, world, attack))
    submit(course.root, "honest", "victim", honest(victim))
    assert_all_paths_agree(course, "victim")
