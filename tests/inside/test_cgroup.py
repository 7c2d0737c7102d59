"""A control group by itself: the memory and the threads of all its processes together."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from autograder.inside import cgroup
from autograder.inside.cgroup import ControlGroup
from tests.inside.forked import outcome, works

NAME = f"autograder-try-{os.getpid()}"


def make_and_remove() -> None:
    ControlGroup(NAME).remove()


pytestmark = pytest.mark.skipif(not works(make_and_remove), reason="this user may make no control group")


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    one = ControlGroup(NAME)
    yield one
    one.remove()


def enter(group: ControlGroup, megabytes: int = 64, threads: int = 20) -> None:
    group.enter()
    group.limit(megabytes, threads)


def take(megabytes: int) -> None:
    bytearray(b"x") * (megabytes << 20)


def test_memory_has_an_end(group: ControlGroup) -> None:
    assert outcome(lambda: take(300)) == "works"
    assert outcome(lambda: enter(group), lambda: take(300)) == "SIGKILL"


def test_what_is_in_use_already_does_not_count(group: ControlGroup) -> None:
    kept = []
    first = lambda: kept.append(bytearray(b"x") * (100 << 20))  # noqa: E731
    assert outcome(group.enter, first, lambda: group.limit(64, 20), lambda: take(16)) == "works"


def start_threads(number: int) -> None:
    over = threading.Event()
    try:
        for _ in range(number):
            threading.Thread(target=over.wait, daemon=True).start()
    finally:
        over.set()


def test_threads_have_an_end(group: ControlGroup) -> None:
    assert outcome(lambda: start_threads(100)) == "works"
    assert outcome(lambda: enter(group, megabytes=512), lambda: start_threads(10)) == "works"
    assert outcome(lambda: enter(group, megabytes=512), lambda: start_threads(100)) == "RuntimeError"


def test_children_count_together(group: ControlGroup) -> None:
    def take_in_two() -> None:
        kept = bytearray(b"x") * (40 << 20)
        child = os.fork()
        if child == 0:
            take(40)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        del kept

    assert outcome(take_in_two) == "works"
    assert outcome(lambda: enter(group), take_in_two) in ("SIGKILL", "AssertionError")


def test_the_limit_can_be_set_anew_where_the_files_are_out_of_sight(group: ControlGroup) -> None:
    def change() -> None:
        os.chroot("/proc")
        group.limit(512, 20)
        take(200)

    assert outcome(lambda: enter(group), change) == "works"


def test_a_removed_group_is_gone_and_its_name_is_free(group: ControlGroup) -> None:
    name = f"{NAME}-2"
    ControlGroup(name).remove()
    one = ControlGroup(name)
    with pytest.raises(FileExistsError):
        ControlGroup(name)
    one.remove()
    assert not [parent for parent in cgroup.parents() if (parent / name).exists()]


def test_where_groups_may_not_be_made_is_an_error_and_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(ControlGroup, "_open", refuse)
    with pytest.raises(PermissionError):
        ControlGroup(f"{NAME}-3")
    assert not [parent for parent in cgroup.parents() if (parent / f"{NAME}-3").exists()]
