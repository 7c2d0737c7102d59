"""What is left when a grader ends, however it ends: no process, no folder, no control group, no changed file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import nbformat
import psutil
import pytest

from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from autograder.inside.cgroup import parents
from autograder.isolation.sandbox import Sandbox
from tests.nbgrader_course import CONFIG, submit
from tests.places import REPOSITORY
from tests.tiny import write_tiny_exercise

LOOPING = """
from autograder.exercise.definition import Limits
from autograder.isolation.sandbox import Sandbox
from tests.sessions import play, protection

with Sandbox(()) as sandbox:
    play(sandbox, "while True:\\n    pass", limits=Limits(cpu_seconds=50, wall_seconds=50))
"""
CLASS = """
import sys
from pathlib import Path

from autograder.batch.evaluators import Processes
from autograder.batch.run import grade_students
from autograder.course.course import load_course

course = load_course(Path(sys.argv[1]))
grade_students(course, course.seeded("tiny"), sys.argv[2:], Processes(2), print)
"""
ATTACKED = """
import sys
import tempfile
from pathlib import Path

from autograder.exercise.built import SeededExercise
from autograder.grading.evaluate import Grader
from tests.attacks.world import ATTACKS, World, submission, victim

built, world = victim(), World(Path(tempfile.mkdtemp()))
with Grader() as grader:
    for attack in ATTACKS:
        if attack.name in sys.argv[1:]:
            assert grader.evaluate(submission(built, world, attack), SeededExercise(built, 1)).report.earned == 0
world.close()
print("done", len(sys.argv) - 1)
"""
HARD_TO_REMOVE = """
import sys
import tempfile
from pathlib import Path

from autograder.exercise.build import build
from autograder.exercise.built import SeededExercise
from autograder.exercise.definition import Exercise
from autograder.grading.evaluate import Grader, GraderConfig
from tests.attacks.world import ATTACKS, World, honest, submission
from tests.sessions import protection
from tests.tiny import write_tiny_exercise

root = Path(tempfile.mkdtemp())
built, world = build(Exercise(write_tiny_exercise(root / "tiny"))), World(root)
attack = next(attack for attack in ATTACKS if attack.name == sys.argv[1])
for work in (submission(built, world, attack), honest(built)):
    with Grader(GraderConfig(protection=protection(["namespaces"]))) as grader:
        first, second = (grader.evaluate(raw, SeededExercise(built, 1)).report for raw in (work, honest(built)))
        print(first.earned, second.earned, first.fault, second.fault)
world.close()
"""
HANDFUL = """escaping/foreign_files escaping/interpreter escaping/next_student escaping/cache_of_the_parent
exhausting/disk exhausting/many_files exhausting/forks exhausting/ends_itself exhausting/endless_function
reading/package_of_the_grader""".split()


def start(script: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Run a script as a grader of its own, whose temporary folders lie in `folder`."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """A folder for temporary folders that others may pass through, as /tmp is."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


@pytest.fixture
def looping(temporary: Path) -> Iterator[list[psutil.Process]]:
    """A grader, its launcher, the warm parent and a student's process that computes for ever."""
    grader = start(LOOPING, temporary)
    try:
        assert eventually(lambda: any(busy(process) for process in family(grader.pid)[3:]), 60)
        yield family(grader.pid)
    finally:
        grader.kill()
        grader.communicate()


def family(number: int) -> list[psutil.Process]:
    """A process and all below it, parents first."""
    found = [psutil.Process(number)]
    for process in found:
        with suppress(psutil.NoSuchProcess):
            found += process.children()
    return found


def busy(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.cpu_times().user > 0.5)
    return False


def eventually(holds: Callable[[], object], seconds: float = 10) -> bool:
    """Whether this comes true within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def groups(numbers: set[int]) -> list[Path]:
    """The control groups that carry these processes' numbers."""
    return [path for parent in parents() for number in numbers for path in parent.glob(f"autograder-*{number}*")]


def folders(temporary: Path, numbers: set[int]) -> list[Path]:
    """The temporary folders that carry these processes' numbers, where they should lie and where they must not."""
    places = (temporary, Path("/tmp"))
    return [path for place in places for number in numbers for path in place.glob(f"autograder-{number}-*")]


@pytest.mark.parametrize(
    "killed",
    [
        pytest.param("grader", marks=pytest.mark.kernel),
        "grader and launcher",
        "grader, launcher and parent",
        "launcher",
    ],
)
def test_a_killed_grader_leaves_no_process_and_the_next_one_sweeps(
    looping: list[psutil.Process], temporary: Path, monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    assert len(looping) == 4
    numbers = {process.pid for process in looping}
    victims = looping[1:2] if killed == "launcher" else looping[: killed.count(",") + killed.count(" and") + 1]
    for process in victims:
        process.send_signal(signal.SIGKILL)
    assert eventually(lambda: not any(process.is_running() for process in looping[1:]))
    looping[0].send_signal(signal.SIGKILL)
    looping[0].wait()

    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    Sandbox(()).close()
    assert folders(temporary, numbers) == []
    assert groups(numbers) == []


@pytest.fixture
def grading(tmp_path: Path, temporary: Path) -> Iterator[list[psutil.Process]]:
    """The processes of `autograder grade` with two jobs, for eight students who keep each of them waiting."""
    root, students = tmp_path / "course", [f"student{number}" for number in range(8)]
    exercise = write_tiny_exercise(root / "exercises" / "tiny")
    (root / "nbgrader_config.py").write_text(CONFIG)
    notebook = build(Exercise(exercise)).release
    notebook.cells.append(nbformat.v4.new_code_cell("import time\ntime.sleep(8)", id="waiting"))
    for student in students:
        submit(root, student, "tiny", notebook)
    grader = start(CLASS, temporary, str(root), *students)
    try:
        assert eventually(lambda: len(workers(grader.pid)) == 2, 90)
        yield family(grader.pid)
    finally:
        for process in family(grader.pid)[::-1]:
            process.kill()
        grader.communicate()


def workers(number: int) -> list[psutil.Process]:
    """The students' processes: those whose number in a process table of their own, or whose session, is their own."""
    found = [process for process in family(number) if "autograder.inside.warm_parent" in command(process)]
    return [process for process in found if os.getsid(process.pid) == process.pid]


def command(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


@pytest.mark.slow
def test_a_killed_class_leaves_no_process(grading: list[psutil.Process]) -> None:
    grading[0].kill()
    left = grading[1:]
    gone = eventually(lambda: not any(lives(process) for process in left), 20)
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    assert gone


@pytest.mark.slow
def test_an_interrupted_class_ends_soon(grading: list[psutil.Process]) -> None:
    """Ctrl-C reaches every process of the terminal; nobody waits for the submissions that have not begun."""
    for process in grading:
        with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):  # a student's may have ended by itself
            if process.pid != os.getsid(process.pid):
                process.send_signal(signal.SIGINT)
    assert eventually(lambda: not any(lives(process) for process in grading), 14)


@pytest.mark.kernel
def test_attacks_leave_no_file_no_group_and_no_process(temporary: Path) -> None:
    """And change nothing in the repository, in the interpreter's packages and in the system's settings."""
    before, seen = listings(), set()
    grader = start(ATTACKED, temporary, *HANDFUL)
    while grader.poll() is None:
        seen |= {process.pid for process in psutil.Process(grader.pid).children(recursive=True)}
        time.sleep(0.05)
    said, complaints = grader.communicate()
    assert said == f"done {len(HANDFUL)}\n", complaints

    assert not [number for number in seen if psutil.pid_exists(number) and is_ours(number)]
    assert groups(seen | {grader.pid}) == []
    assert folders(temporary, seen | {grader.pid}) == []
    assert {name: changed(before[name], after) for name, after in listings().items()} == {
        name: set() for name in before
    }


@pytest.mark.kernel
@pytest.mark.parametrize(
    "attack", ["exhausting/deep_folders", pytest.param("exhausting/closed_folders", marks=pytest.mark.slow)]
)
def test_what_is_hard_to_remove_harms_no_later_student(temporary: Path, attack: str) -> None:
    """Without namespaces a student's folder is one of the machine's, and outlives the process."""
    grader = start(HARD_TO_REMOVE, temporary, attack)
    said, complaints = grader.communicate(timeout=100)
    left = folders(temporary, {int(path.name.split("-")[1]) for path in temporary.glob("autograder-*")})
    subprocess.run(["chmod", "-R", "u+rwx", str(temporary)], check=False)
    subprocess.run(["rm", "-rf", str(temporary)], check=True)
    assert said == "0.0 7.0  \n7.0 7.0  \n", complaints
    assert left == []


def is_ours(number: int) -> bool:
    return "autograder.inside.warm_parent" in psutil.Process(number).cmdline()


Listing = dict[str, tuple[int, int]]


def listings() -> dict[str, Listing]:
    """Size and time of every file, by folder and path. Leaves out what tools beside us write at any time."""
    packages = [path for path in sys.path if path.endswith("site-packages")]
    return {folder: listing(folder) for folder in ("/etc", str(REPOSITORY), *packages)}


def listing(folder: str) -> Listing:
    found = {}
    for top, below, names in os.walk(folder):
        below[:] = [name for name in below if name not in OTHER_TOOLS]
        for path in (os.path.join(top, name) for name in names):
            status = os.lstat(path)
            found[path] = status.st_size, status.st_mtime_ns
    return found


OTHER_TOOLS = (".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__", "demo")


def changed(before: Listing, after: Listing) -> set[str]:
    return {path for path, _ in before.items() ^ after.items()}
