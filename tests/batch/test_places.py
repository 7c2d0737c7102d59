"""Where little can be written `grade` works or is one sentence, nothing is half-written, and the next run completes."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.reports import load_report
from autograder.exercise.variants import variant
from autograder.inside.cgroup import parents
from autograder.layout import TEMPORARY_PREFIX
from autograder.submission.samples import solved, solved_by
from tests.nbgrader_course import grades, submit
from tests.places import REPOSITORY

GRADE = "autograder grade tiny --jobs 1"
POINTS = {"ada": [4.0, 3.0], "ben": [0.0, 3.0], "eve": [0.0, 0.0]}


def in_mounts(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run lines of shell that may mount: nobody else sees it."""
    command = ["unshare", "--mount", "sh", "-euc", script]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "1000"}
    return subprocess.run(
        command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        in_mounts("mount -t tmpfs none /mnt", Path("/")).returncode != 0, reason="nothing can be mounted here"
    ),
]


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    """With a right submission, a wrong one and one that is not written."""
    course = new_course("course")
    built = course.build("tiny")
    submit(course.root, "ada", "tiny", solved(built))
    submit(course.root, "ben", "tiny", solved_by(built, variant("wrong", "def double(x):\n    return x * x\n")))
    submit(course.root, "eve", "tiny", built.release)
    return course


def recorded(root: Path) -> dict[str, list[float | None]]:
    """The automatic points of whom the gradebook has."""
    rows = grades(root)
    return {student: [rows[student, task][0] for task in ("double", "quadruple")] for student, _ in rows}


def assert_is_whole(root: Path) -> None:
    """Each graded folder and each report that is there can be read, and nothing lies beside them."""
    for folder in (root / "autograded").glob("*/tiny"):
        assert json.loads((folder / "tiny.ipynb").read_text())
        assert (folder / "checks.py").read_bytes() == (root / "solutions" / "tiny" / "checks.py").read_bytes()
    for report in (root / "reports" / "tiny").glob("*"):
        assert load_report(root, "tiny", report.stem)
    assert not list(root.rglob("*.unfinished"))


@pytest.mark.parametrize("home", ["unset HOME", "mount -t tmpfs -o ro none /mnt; export HOME=/mnt"])
def test_nobody_needs_a_home(home: str, course: Course) -> None:
    done = in_mounts(f"{home}; exec {GRADE}", course.root)
    assert done.returncode == 0, done.stderr
    assert recorded(course.root) == POINTS


def test_a_course_folder_that_is_read_only_is_one_sentence(course: Course) -> None:
    done = in_mounts(f"mount --bind . /mnt; mount -o remount,bind,ro /mnt; cd /mnt; exec {GRADE}", course.root)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == [
        "autograder: the course folder cannot be written to: [Errno 30] Read-only file system: '/mnt/.autograder'"
    ]


@pytest.mark.parametrize(("room", "statuses"), [(0, "2 0"), (90, "1 0"), (150, "1 0")])
def test_a_full_disk_leaves_nothing_half_written_and_the_next_run_completes(
    room: int, statuses: str, course: Course, tmp_path: Path
) -> None:
    """room: KiB that are left on the disk when the course is there."""
    first, second = tmp_path / "first", tmp_path / "second"
    script = f"""
        mount -t tmpfs none /mnt; cp -R . /mnt; cd /mnt
        mount -o remount,size=$(($(df -k --output=used . | tail -1) + {room}))k /mnt
        first=0; {GRADE} || first=$?
        cp -R . {first}; mount -o remount,size=100m /mnt
        second=0; {GRADE} || second=$?
        cp -R . {second}; echo $first $second
    """
    done = in_mounts(script, course.root)
    assert done.stdout.splitlines()[-1] == statuses
    assert "Traceback" not in done.stderr
    assert "disk is full" in done.stdout + done.stderr or "No space left on device" in done.stdout
    assert_is_whole(first)
    assert all(points in (POINTS[student], [None, None]) for student, points in recorded(first).items())
    assert_is_whole(second)
    assert recorded(second) == POINTS


@pytest.mark.parametrize("files", [2, 6])
def test_a_full_temporary_folder_is_one_sentence(files: int, course: Course) -> None:
    done = in_mounts(f"mount -t tmpfs -o nr_inodes={files} none /mnt; TMPDIR=/mnt exec {GRADE}", course.root)
    assert done.returncode == 2
    (sentence,) = done.stderr.strip().splitlines()
    assert "No space left on device" in sentence
    assert recorded(course.root) == {}


LARGEST = {
    "array": "np.zeros((32 << 20) - 1000)",
    "arrays": "[np.ones(1 << 20) for _ in range(31)]",
    "pair": "(np.zeros((32 << 20) - 2000), 'x' * ((8 << 20) - 9000))",
    "list": "list(range(1_000_000))",
}


@pytest.fixture
def three_gigabytes() -> Iterator[Path]:
    """A control group that may hold no more."""
    group = parents()[0] / f"{TEMPORARY_PREFIX}{os.getpid()}-class"
    try:
        group.mkdir()
        limit = next(group / name for name in ("memory.max", "memory.limit_in_bytes") if (group / name).exists())
        limit.write_text(str(3 << 30))
    except (OSError, StopIteration):
        pytest.skip("no control group of memory can be made here")
    yield group
    for _ in range(100):  # its last processes may be ending
        with suppress(OSError):
            group.rmdir()
            break
        time.sleep(0.1)
    assert not group.exists()


def test_a_class_with_the_largest_results_that_may_cross_is_graded_in_three_gigabytes(
    course: Course, three_gigabytes: Path
) -> None:
    built = course.build("tiny")
    for name, largest in LARGEST.items():
        code = f"def double(x):\n    return {largest}\n\n\ndef quadruple(x):\n    return {largest}\n"
        submit(course.root, name, "tiny", solved_by(built, variant("wrong", code)))
    enter = f"echo $$ >{three_gigabytes}/cgroup.procs; mount --bind {three_gigabytes} {three_gigabytes.parent}"
    done = in_mounts(f"{enter}; exec autograder grade tiny --jobs 2", course.root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert recorded(course.root) == POINTS | {name: [0.0, 0.0] for name in LARGEST}
    assert (course.root / "reports" / "tiny" / "ada.json").read_text().count("disturbed") == 0
