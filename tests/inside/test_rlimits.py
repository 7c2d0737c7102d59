"""Resource limits by themselves."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.inside import identity, rlimits
from tests.inside.forked import forked, outcome, works

NEEDS_ROOT = pytest.mark.skipif(not works(lambda: identity.become(61000)), reason="only root may become another user")


def restrict() -> None:
    rlimits.restrict(1, 64, 1)


def write(path: Path, megabytes: int) -> None:
    with path.open("wb") as file:
        file.write(bytes(megabytes << 20))


def open_many() -> list[int]:
    return [os.open("/dev/null", os.O_RDONLY) for _ in range(500)]


def compute(seconds: float) -> None:
    while time.process_time() < seconds:
        pass


STEPS: dict[str, tuple[Callable[[Path], object], str]] = {
    "memory": (lambda path: bytearray(200 << 20), "MemoryError"),
    "size of a file": (lambda path: write(path, 2), "OSError"),
    "open files": (lambda path: open_many(), "OSError"),
    "processor time": (lambda path: compute(time.process_time() + 2.5), "SIGKILL"),
}


@pytest.mark.parametrize(("step", "end"), STEPS.values(), ids=STEPS)
def test_what_has_an_end_has_none_without(tmp_path: Path, step: Callable[[Path], object], end: str) -> None:
    assert outcome(lambda: step(tmp_path / "file")) == "works"
    assert outcome(restrict, lambda: step(tmp_path / "file")) == end


def test_what_is_within_the_limits_works(tmp_path: Path) -> None:
    assert outcome(restrict, lambda: write(tmp_path / "file", 1)) == "works"
    assert outcome(restrict, lambda: bytearray(20 << 20)) == "works"


KINDS = [resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE]


@pytest.mark.parametrize("kind", KINDS)
def test_no_limit_can_be_raised_again(kind: int) -> None:
    def raise_it() -> None:
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (hard + 1, hard + 1))

    assert outcome(restrict, identity.renounce, raise_it) in ("ValueError", "PermissionError")


def test_there_is_no_dump_of_memory() -> None:
    assert forked(lambda: [restrict(), resource.getrlimit(resource.RLIMIT_CORE)][1]) == [0, 0]


def test_a_lower_limit_of_the_machine_stays() -> None:
    def lower() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))

    assert forked(lambda: [lower(), restrict(), resource.getrlimit(resource.RLIMIT_NOFILE)][2]) == [50, 50]


def test_it_is_ended_first_where_memory_runs_short() -> None:
    assert forked(lambda: [restrict(), Path("/proc/self/oom_score_adj").read_text().strip()][1]) == "1000"


@NEEDS_ROOT
def test_threads_of_a_user_of_its_own_have_an_end() -> None:
    def start_threads() -> None:
        over = threading.Event()
        try:
            for _ in range(rlimits.THREADS + 20):
                threading.Thread(target=over.wait, daemon=True).start()
        finally:
            over.set()

    user = 61000 + os.getpid() % 100
    assert outcome(lambda: identity.become(user), start_threads) == "works"
    assert outcome(rlimits.restrict_threads, lambda: identity.become(user), start_threads) == "RuntimeError"
