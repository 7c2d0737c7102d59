"""The exercise that is attacked is no test of ours; the world that is attacked is made anew for each test."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.exercise.built import Built
from autograder.grading.evaluate import Grader
from tests.attacks.world import World, victim

collect_ignore = ["victim"]


# What an attack leaves in the temporary folder must show, and what others do in the machine's own must not.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # sockets' paths must be short
_ALONE = tempfile.mkdtemp(prefix="attacks-")
os.chmod(_ALONE, 0o755)  # a student's process of another user goes through it
os.environ["TMPDIR"] = tempfile.tempdir = _ALONE


def pytest_unconfigure() -> None:
    shutil.rmtree(_ALONE, ignore_errors=True)


@pytest.fixture(scope="session")
def built() -> Built:
    """The exercise that is attacked."""
    return victim()


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """The grader that is attacked; another one than the other tests use."""
    with Grader() as one:
        yield one


@pytest.fixture
def world() -> Iterator[World]:
    """What there is to steal and to break; not in pytest's own folder, which is private."""
    root = Path(tempfile.mkdtemp(prefix="pytest-world-"))
    root.chmod(0o755)
    one = World(root)
    yield one
    one.close()
    shutil.rmtree(root)


GIVES_UP = 45, 10  # seconds until a grader is waked that hangs, and from then on


class Hung(Exception):
    """The grader waits for something that never comes."""


@pytest.fixture
def patience() -> Iterator[None]:
    """A grader that hangs is an ungraded submission, and not the end of the test run."""

    def give_up(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, *GIVES_UP)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
