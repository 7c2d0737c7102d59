"""Who a worker is: another user, without capabilities, who ends with its parent."""

from __future__ import annotations

import os
import time
from pathlib import Path

import psutil
import pytest

from autograder.inside import identity, kernel
from tests.inside.forked import forked, outcome, works

USER = 61000
AS_ROOT = pytest.mark.skipif(not works(lambda: identity.become(USER)), reason="only root may become another user")


def status() -> dict[str, str]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines)}


def become() -> None:
    identity.become(USER)


@AS_ROOT
def test_another_user_owns_nothing_and_is_in_no_group(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch(0o600)
    assert forked(lambda: [become(), os.getresuid(), os.getresgid(), os.getgroups()][1:]) == [
        [USER] * 3,
        [USER] * 3,
        [],
    ]
    assert outcome(lambda: file.read_text()) == "works"
    assert outcome(become, lambda: file.read_text()) == "PermissionError"


@AS_ROOT
@pytest.mark.parametrize("way", [os.setuid, os.seteuid, os.setgid, os.setegid, lambda user: os.setgroups([user])])
def test_nobody_becomes_root_again(way) -> None:  # type: ignore[no-untyped-def]
    assert outcome(lambda: way(0)) == "works"
    assert outcome(become, identity.renounce, lambda: way(0)) == "PermissionError"


@AS_ROOT
def test_its_own_folder_in_proc_is_its_own() -> None:
    assert outcome(become, lambda: Path("/proc/self/environ").read_bytes()) == "works"


def test_the_users_are_ones_that_nothing_else_uses() -> None:
    assert 61000 <= identity.own_user() < 61184


def test_all_capabilities_are_dropped_also_those_that_could_come_back() -> None:
    found = forked(lambda: [identity.renounce(), status()][1])
    names = ("CapEff", "CapPrm", "CapInh", "CapAmb")
    assert {name: int(found[name], 16) for name in names} == dict.fromkeys(names, 0)
    assert found["NoNewPrivs"] == "1"


@AS_ROOT
def test_a_root_without_capabilities_is_none(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    os.chown(file, USER, USER)
    file.chmod(0o600)
    assert outcome(lambda: file.read_text()) == "works"
    assert outcome(identity.renounce, lambda: file.read_text()) == "PermissionError"
    assert outcome(identity.renounce, lambda: os.chroot(tmp_path)) == "PermissionError"
    assert outcome(identity.renounce, lambda: kernel.call("unshare", 1 << 17)) == "PermissionError"


def test_it_ends_with_its_parent() -> None:
    def leave_a_child() -> int:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            identity.die_with_parent()
            os.write(writer, b"x")
            time.sleep(60)
            os._exit(0)
        os.read(reader, 1)
        return child

    child = forked(leave_a_child)
    end = time.monotonic() + 10
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_children_of_a_child_that_ends_are_adopted() -> None:
    def parent_of_the_orphan() -> bool:
        identity.adopt_orphans()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            if os.fork() == 0:
                while os.getppid() == child:
                    time.sleep(0.001)
                time.sleep(0.05)
                os.write(writer, str(os.getppid()).encode())
            os._exit(0)
        os.waitpid(child, 0)
        return int(os.read(reader, 20)) == os.getpid()

    assert forked(parent_of_the_orphan)
