"""What many tests share."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from autograder.batch.evaluators import WarmGrader
from autograder.course.course import Course, load_course
from autograder.course.gradebook import register
from autograder.errors import SandboxError
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, load_exercise
from autograder.grading.evaluate import Grader
from autograder.inside import leftovers
from autograder.isolation.sandbox import Sandbox
from tests.nbgrader_course import BLOCK, CONNECTIONS, course_of
from tests.places import EXERCISES
from tests.sessions import NUMPY
from tests.tiny import write_tiny_exercise

os.environ.pop("COLUMNS", None)  # what a command prints depends on the width that a test gives it, and on no terminal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background, and in all that it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("house", settings(), deadline=None, max_examples=50)
settings.load_profile("house")


BROAD_ROOMS = ("attacks", "authoring", "batch", "course", "inside")
QUICK_OF_THEM = (  # so that no room is forgotten
    "authoring/test_mutants.py",
    "batch/test_multiprocessing_contract.py",
    "course/test_database.py",
    "inside/test_selfcheck.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark all tests of these folders as broad, so that a new one need not say so."""
    tests = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(tests)
        if place.parts[0] in BROAD_ROOMS and str(place) not in QUICK_OF_THEM:
            item.add_marker("broad")


@pytest.fixture
def tiny_exercise(tmp_path: Path) -> Path:
    """The folder of a small exercise, one's own to change."""
    return write_tiny_exercise(tmp_path / "tiny")


@pytest.fixture(scope="session")
def tiny_built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The small exercise, built; shared, so not to be changed."""
    return build(Exercise(write_tiny_exercise(tmp_path_factory.mktemp("exercises") / "tiny")))


@pytest.fixture
def removed(tmp_path: Path) -> Iterator[None]:
    """For tests that make folders which pytest cannot remove: thousands in one another."""
    yield
    leftovers.remove(str(tmp_path))


@pytest.fixture(scope="session")
def tiny_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the small exercise and a gradebook: nbgrader takes seconds to make one. To be copied."""
    root = tmp_path_factory.mktemp("course")
    write_tiny_exercise(root / "exercises" / "tiny")
    register(course_of(root), "tiny")
    return root


@pytest.fixture
def new_course(tiny_course: Path, tmp_path: Path) -> Callable[[str], Course]:
    """Copies of that course."""

    def make(name: str) -> Course:
        subprocess.run(["cp", "-R", str(tiny_course), str(tmp_path / name)], check=True)
        return load_course(tmp_path / name)

    return make


@pytest.fixture(scope="session")
def connections() -> Built:
    """The first exercise of the repository, in NumPy; shared, so not to be changed."""
    return build(load_exercise(CONNECTIONS, EXERCISES))


@pytest.fixture(scope="session")
def block() -> Built:
    """The exercise of the repository in torch; shared, so not to be changed."""
    return build(load_exercise(BLOCK, EXERCISES))


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """One grader for all tests; it mends itself after a fault."""
    with Grader() as grader:
        yield grader


@pytest.fixture
def warm_command(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """`autograder grade` in this process takes that grader, where it would make its own in seconds."""
    monkeypatch.setattr("autograder.batch.evaluators.Processes", lambda _: WarmGrader(grader))


@pytest.fixture(scope="session")
def _warm() -> Iterator[dict[tuple[str, ...], Sandbox]]:
    warm: dict[tuple[str, ...], Sandbox] = {}
    yield warm
    for sandbox in warm.values():
        sandbox.close()


@pytest.fixture
def sandbox(_warm: dict[tuple[str, ...], Sandbox]) -> Iterator[Sandbox]:
    """A warm parent for NumPy, shared as long as it is unharmed."""
    yield from _lend(NUMPY, _warm)


@pytest.fixture
def torch_sandbox(_warm: dict[tuple[str, ...], Sandbox]) -> Iterator[Sandbox]:
    """A warm parent for torch, shared as long as it is unharmed."""
    yield from _lend((*NUMPY, "torch"), _warm)


def _lend(packages: tuple[str, ...], warm: dict[tuple[str, ...], Sandbox]) -> Iterator[Sandbox]:
    if packages not in warm:
        warm[packages] = Sandbox(packages)
    yield warm[packages]
    try:
        warm[packages].end()  # what a failed test has left alive must not fail the next one
    except (SandboxError, OSError):
        warm.pop(packages).close()


class Hung(Exception):
    """The grader waits for something that never comes."""


@pytest.fixture
def within() -> Iterator[Callable[[float], None]]:
    """Fails a test that is not done after so many seconds; for what would else hang for ever."""

    def give_up(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, give_up)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
