"""Landlock by itself: which files and connections it refuses, and what it leaves alone."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.inside import identity, landlock
from tests.inside.forked import Step, outcome, works

pytestmark = pytest.mark.skipif(not works(landlock.version), reason="this kernel has no Landlock")


def kept(*readable: Path | str, writable: tuple[Path, ...] = ()) -> Step:
    """Give up all files but these."""

    def restrict() -> None:
        identity.renounce()  # or only root may
        landlock.restrict(map(str, readable), map(str, writable))

    return restrict


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_text("text")
    return path


READING: dict[str, Callable[[Path], object]] = {
    "read": lambda path: path.read_text(),
    "list": lambda path: os.listdir(path.parent),
    "by a link": lambda path: Path(f"/proc/self/root{path}").read_text(),
    "from its folder": lambda path: os.open(path.name, os.O_RDONLY, dir_fd=os.open(path.parent, os.O_PATH)),
}
WRITING: dict[str, Callable[[Path], object]] = {
    "append": lambda path: path.open("a").close(),
    "cut": lambda path: os.truncate(path, 0),
    "create": lambda path: path.with_name("new").touch(),
    "folder": lambda path: path.with_name("new").mkdir(),
    "link": lambda path: path.with_name("new").symlink_to("file"),
    "second name": lambda path: path.with_name("new").hardlink_to(path),
    "rename": lambda path: path.rename(path.with_name("new")),
    "delete": lambda path: path.unlink(),
    "pipe": lambda path: os.mkfifo(path.with_name("new")),
}


@pytest.mark.parametrize("way", READING.values(), ids=READING)
def test_reading_is_for_the_named_paths_alone(file: Path, way: Callable[[Path], object]) -> None:
    assert outcome(lambda: way(file)) == "works"
    assert outcome(kept("/proc"), lambda: way(file)) == "PermissionError"
    assert outcome(kept("/proc", file.parent), lambda: way(file)) == "works"
    assert outcome(kept("/proc", file.parents[1]), lambda: way(file)) == "works"


@pytest.mark.parametrize("way", WRITING.values(), ids=WRITING)
def test_writing_is_for_the_writable_paths_alone(file: Path, way: Callable[[Path], object]) -> None:
    assert outcome(kept(), lambda: way(file)) == "PermissionError"
    assert outcome(kept(file.parent), lambda: way(file)) == "PermissionError"
    assert outcome(kept(writable=(file.parent,)), lambda: way(file)) == "works"


def test_a_named_file_opens_nothing_beside_it(file: Path) -> None:
    other = file.with_name("other")
    other.write_text("text")
    assert outcome(kept(file), file.read_text) == "works"
    assert outcome(kept(file), other.read_text) == "PermissionError"


def test_a_file_cannot_be_moved_out_of_reach_of_the_rules(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    assert outcome(kept(writable=(file.parent,)), lambda: file.rename(target / "file")) == "PermissionError"


def test_what_is_written_cannot_be_run(file: Path) -> None:
    file.chmod(0o755)
    file.write_text("#!/bin/true\n")
    start = lambda: os.posix_spawn(str(file), [str(file)], {})  # noqa: E731
    assert outcome(start) == "works"
    assert outcome(kept("/bin", "/usr", "/lib", "/lib64", writable=(file.parent,)), start) == "PermissionError"


def test_paths_that_do_not_exist_are_left_out(file: Path) -> None:
    assert outcome(kept("/no/such/path", file), file.read_text) == "works"


def test_it_hides_no_name_and_no_size(file: Path) -> None:
    """The limit of this layer: what can be opened is decided, what can be seen is not."""
    assert outcome(kept(), file.stat) == "works"


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.skipif(not works(lambda: landlock.version() >= 4 or 1 / 0), reason="this kernel's Landlock knows no TCP")
def test_tcp_is_refused(port: int) -> None:
    connect = lambda: socket.create_connection(("127.0.0.1", port), 1)  # noqa: E731
    assert outcome(connect) == "works"
    assert outcome(kept(), connect) == "PermissionError"
    assert outcome(kept(), lambda: socket.create_server(("127.0.0.1", 0))) == "PermissionError"


@pytest.mark.skipif(not works(lambda: landlock.version() >= 6 or 1 / 0), reason="this kernel's Landlock is too old")
def test_signals_and_sockets_without_a_path_are_refused() -> None:
    parent, name = os.getpid(), f"\0autograder-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(name)
        send = lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", name)  # noqa: E731
        assert outcome(send) == "works"
        assert outcome(kept(), send) == "PermissionError"
    assert outcome(lambda: os.kill(parent, signal.SIGURG)) == "works"
    assert outcome(kept(), lambda: os.kill(parent, signal.SIGURG)) == "PermissionError"
