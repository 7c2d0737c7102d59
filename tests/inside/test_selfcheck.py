"""The worker's look at itself: which guarantees it finds broken without any layer, and which layer mends which."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.inside import identity, landlock, rlimits, selfcheck
from autograder.inside.seccomp import Filter
from autograder.isolation.protection import GUARANTEES
from tests.inside.forked import Step, forked, works


@pytest.fixture
def canary(tmp_path: Path) -> str:
    (tmp_path / "readable").touch()
    (tmp_path / "writable").mkdir()
    return str(tmp_path)


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def broken(canary: str, port: int, *steps: Step) -> set[str]:
    """What the self-check finds after these steps in a process of its own."""

    def check() -> list[str]:
        for step in steps:
            step()
        return selfcheck.breaches(canary, port)

    return set(forked(check))


def restrict_files() -> None:
    identity.renounce()
    landlock.restrict(["/proc"], [])


def filter_calls() -> None:
    identity.renounce()
    Filter().restrict()


def restrict_resources() -> None:
    rlimits.restrict(60, 512, 1)


def become_another() -> None:
    identity.become(61000)
    identity.renounce()


def test_without_any_layer_everything_is_broken(canary: str, port: int) -> None:
    expected = set(GUARANTEES) if os.getuid() == 0 else set(GUARANTEES) - {"privileges"}
    assert broken(canary, port) >= expected - {"resources"}
    assert broken(canary, port) <= set(GUARANTEES)


LAYERS: dict[str, tuple[Step, set[str]]] = {
    "landlock": (restrict_files, {"files"}),
    "seccomp": (filter_calls, {"network", "processes"}),
    "limits": (restrict_resources, {"resources"}),
    "user": (become_another, {"privileges"}),
}


@pytest.mark.parametrize(("step", "kept"), LAYERS.values(), ids=LAYERS)
def test_each_layer_keeps_its_guarantee(canary: str, port: int, step: Step, kept: set[str]) -> None:
    if not works(step):
        pytest.skip("this machine or this user does not have the layer")
    assert not broken(canary, port, step) & kept


def test_with_the_layers_together_nothing_is_broken(canary: str, port: int) -> None:
    steps = [step for step, _ in LAYERS.values() if works(step)]
    if len(steps) < len(LAYERS):
        pytest.skip("this machine or this user does not have all layers")
    made_before = Filter()  # its library is out of sight later
    in_order = [restrict_resources, become_another, restrict_files, made_before.restrict]
    assert broken(canary, port, *in_order) == set()


@pytest.mark.parametrize("gone", ["readable", "writable"])
def test_one_open_way_is_enough_to_break_a_guarantee(canary: str, port: int, gone: str) -> None:
    path = Path(canary, gone)
    path.rmdir() if path.is_dir() else path.unlink()
    assert "files" in broken(canary, port)


def test_no_attempt_leaves_anything_behind(canary: str, port: int) -> None:
    broken(canary, port)
    assert sorted(os.listdir(canary)) == ["readable", "writable"]
