"""Whichever way a class is graded, the points are the same: side by side, on a cluster, after a kill, by nbgrader.

The classes hold a submission for each way to end. All attacks go side by side in `test_class.py`.
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
from autograder.batch.run import grade_students
from autograder.course.course import Course, load_course
from autograder.course.gradebook import register
from autograder.course.reports import load_report, reported_students
from tests.attacks.test_notebook_edits import (
    another_grade_cell_comes_first,
    edited,
    the_grade_cell_is_deleted,
    the_grade_cell_is_worth_more,
)
from tests.attacks.world import ATTACKS, HERE, World, honest, submission
from tests.batch.test_cluster import local_cluster
from tests.nbgrader_course import BLOCK, course_of, grades, nbgrader, submit
from tests.places import REPOSITORY

pytestmark = pytest.mark.slow
DEMO = REPOSITORY / "tests" / "demo" / "submitted"
# Students of the demo, who need torch; the attackers end in all the other ways.
STUDENTS = ["perfect", "skip-detached"]
# By what becomes of the attacked task, of a cell, or of the next student.
ATTACKERS = [
    "forging/not_a_number",  # failed
    "forging/system_exit",  # error
    "exhausting/endless_function",  # timeout
    "exhausting/segmentation_fault",  # crashed
    "forging/not_written_yet",  # missing
    "exhausting/endless_loop",  # a cell is left out
    "forging/impossible_execution_count",  # every cell is left out
    "escaping/next_student",  # leaves something behind
]
EDITED = [another_grade_cell_comes_first, the_grade_cell_is_deleted, the_grade_cell_is_worth_more]
ENDINGS = {"passed", "failed", "error", "timeout", "crashed", "missing", "ungraded"}
FINDINGS = {"unreadable", "deleted", "duplicated", "edited", "crashed", "timeout"}
SECONDS = 1000  # for all paths of a class; one or two minutes on a machine that does nothing else


def side_by_side(course: Course, slug: str) -> None:
    """`autograder grade` with two processes."""
    register(course, slug)
    grade_students(course, course.seeded(slug), course.submitting_students(slug), Processes(2))


def on_a_cluster(course: Course, slug: str) -> None:
    """The same with two workers."""
    from autograder.batch.cluster import Cluster

    register(course, slug)
    with local_cluster() as local, Cluster(local.scheduler_address) as cluster:
        students = course.submitting_students(slug)
        grade_students(course, course.seeded(slug), students, cluster)


def killed_and_resumed(course: Course, slug: str) -> None:
    """A run that is killed in the middle, and another one."""
    register(course, slug)
    half = len(course.submitting_students(slug)) // 2
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
    assert len(expected["reports"]) == len(course.submitting_students(slug))  # type: ignore[arg-type]
    for name, one in found.items():
        assert one == expected, name


def test_all_paths_give_the_demo_class_the_same(
    new_course: Callable[..., Course], within: Callable[[float], None]
) -> None:
    within(SECONDS)
    files = {f"{student}/{BLOCK}": DEMO / student / BLOCK / f"{BLOCK}.ipynb" for student in STUDENTS}
    notebooks = {place: path.read_bytes() for place, path in files.items()}
    assert_all_paths_agree(new_course([REPOSITORY / "autograder" / "exercises" / BLOCK], notebooks), BLOCK)


def test_all_paths_give_a_class_of_attackers_the_same(
    world: World, new_course: Callable[..., Course], within: Callable[[float], None]
) -> None:
    within(SECONDS)
    course = new_course([HERE / "victim"], {})
    victim = course.build("victim")
    attacks = {attack.name: attack for attack in ATTACKS}
    work = {name.replace("/", "-"): submission(victim, world, attacks[name]) for name in ATTACKERS}
    work |= {edit.__name__: edited(victim, edit) for edit in EDITED}
    for student, notebook in (work | {"honest": honest(victim), "empty": b""}).items():
        submit(course.root, student, "victim", notebook)
    assert_all_paths_agree(course, "victim")
    side = course.root.with_name(side_by_side.__name__)
    reports = [load_report(side, "victim", student) for student in reported_students(side, "victim")]
    assert {str(task.status) for report in reports for task in report.tasks} == ENDINGS
    assert {finding.kind for report in reports for finding in report.findings} == FINDINGS
