"""Namespaces by themselves: whom and what a process sees after each of the three steps."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.inside import namespaces
from autograder.inside.confine import Confinement
from tests.inside.forked import forked, outcome
from tests.places import REPOSITORY


@pytest.fixture(autouse=True)
def _possible(tmp_path: Path) -> None:
    folder = tmp_path / "tried"
    folder.mkdir()
    if reason := Confinement([], str(folder)).missing.get("namespaces"):
        pytest.skip(reason)


def entered(function: Callable[[], Any]) -> Any:
    """What a function finds in the first process of the new namespaces."""

    def enter_and_fork() -> Any:
        namespaces.enter()
        return forked(function)

    return forked(enter_and_fork)


def rooted(folder: Path, function: Callable[[], Any]) -> Any:
    """What a function finds with a new root."""

    def settle() -> Any:
        namespaces.new_root(str(folder), namespaces.readable_paths())
        return function()

    return entered(settle)


def alone(folder: Path, function: Callable[[], Any], megabytes: int = 1) -> Any:
    """What a function finds in a worker of a warm parent."""

    def fork_a_worker() -> Any:
        namespaces.new_process_table()

        def begin() -> Any:
            namespaces.private(megabytes, os.getuid())
            os.chdir(namespaces.HOME)
            return function()

        return forked(begin)

    return rooted(folder, fork_a_worker)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "root"
    path.mkdir()
    return path


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def refused(step: Callable[[], object]) -> bool:
    try:
        step()
    except OSError:
        return True
    return False


# --- enter ---


def test_the_first_process_is_number_one() -> None:
    assert entered(os.getpid) == 1
    assert entered(os.getppid) == 0


def test_there_is_no_network_and_no_port_of_the_machine(port: int) -> None:
    connect = lambda: socket.create_connection(("127.0.0.1", port), 1).close()  # noqa: E731
    assert not forked(lambda: refused(connect))
    assert entered(lambda: refused(connect))
    assert [name for _, name in entered(socket.if_nameindex) if name != "lo"] in ([], ["sit0"])


def test_no_signal_leaves(port: int) -> None:
    number = os.getpid()
    assert not forked(lambda: refused(lambda: os.kill(number, 0)))
    assert entered(lambda: refused(lambda: os.kill(number, 0)))


def test_a_name_without_a_path_is_free_again() -> None:
    name = f"\0autograder-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        bind = lambda: socket.socket(socket.AF_UNIX).bind(name)  # noqa: E731
        assert forked(lambda: refused(bind))
        assert not entered(lambda: refused(bind))


# --- new_root ---


def test_only_the_interpreter_and_a_few_devices_are_left(folder: Path) -> None:
    names = set(rooted(folder, lambda: os.listdir("/")))
    assert {"proc", "dev", namespaces.HOME[1:], namespaces.CACHE[1:]} <= names
    assert not names & {"sys", "run", "srv", "var", "boot", "mnt", "media", ".old"}
    assert set(rooted(folder, lambda: os.listdir("/dev"))) == {"null", "zero", "random", "urandom"}
    assert set(rooted(folder, lambda: os.listdir("/etc"))) <= {"ld.so.cache", "localtime"}


def test_the_interpreter_and_its_packages_can_be_read_and_not_written(folder: Path) -> None:
    for path in (os.__file__, pytest.__file__, "/dev/null"):
        assert not rooted(folder, lambda path=path: refused(lambda: open(path).close()))
    for path in (os.__file__, f"{os.path.dirname(pytest.__file__)}/new", "/new", "/etc/new", "/dev/new"):
        assert rooted(folder, lambda path=path: refused(lambda: open(path, "a").close()))


@pytest.mark.parametrize("path", [Path(__file__), REPOSITORY / "pyproject.toml", Path("/etc/passwd"), Path("/tmp")])
def test_nothing_of_the_course_or_the_machine_is_there(folder: Path, path: Path) -> None:
    here = [one for one in namespaces.readable_paths() if path.is_relative_to(one) or Path(one).is_relative_to(path)]
    if here:
        pytest.skip(f"the interpreter lies there: {here[0]}")
    assert path.exists()
    assert rooted(folder, lambda: os.path.lexists(path)) is False


def test_the_machine_sees_nothing_of_the_new_root(folder: Path) -> None:
    assert rooted(folder, lambda: len(os.listdir("/"))) > 3
    assert list(folder.iterdir()) == []


def test_no_program_with_other_rights_and_no_device_works_there(folder: Path) -> None:
    flags = rooted(folder, lambda: [os.statvfs(path).f_flag for path in ("/", "/usr/lib", namespaces.CACHE, "/proc")])
    assert all(flag & os.ST_NOSUID and flag & os.ST_NODEV for flag in flags)
    assert [bool(flag & os.ST_RDONLY) for flag in flags] == [True, True, False, False]


def test_what_can_be_read_is_no_course_even_where_the_environment_lies_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m venv .` in the course folder makes it the interpreter's prefix."""
    for name in ("lib", "bin", "etc", "submitted", "solutions"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    below = {Path(path).relative_to(tmp_path) for path in namespaces.readable_paths() if path.startswith(str(tmp_path))}
    assert below == {Path("lib"), Path("bin")}


def test_no_hidden_test_lies_below_what_can_be_read() -> None:
    """Nor where the package is installed, since it is installed without exercises: see test_packaging."""
    suites = list((REPOSITORY / "autograder" / "exercises").glob("*/test_hidden.py"))
    assert suites
    assert not [path for path in namespaces.readable_paths() for suite in suites if suite.is_relative_to(path)]


# --- private ---


def test_a_worker_sees_itself_alone(folder: Path) -> None:
    assert alone(folder, lambda: [name for name in os.listdir("/proc") if name.isdigit()]) == ["1"]


def test_a_workers_folder_is_empty_writable_and_its_own(folder: Path) -> None:
    def look() -> list[object]:
        status = os.stat(".")
        open("file", "w").close()
        return [status.st_uid == os.getuid(), oct(status.st_mode), os.listdir(".")]

    assert alone(folder, look) == [True, "0o40700", ["file"]]


@pytest.mark.parametrize(
    "fill",
    [
        lambda: [Path(str(number)).write_bytes(bytes(1 << 18)) for number in range(40)],
        lambda: [Path(str(number)).touch() for number in range(10_000)],
    ],
    ids=["bytes", "names"],
)
def test_a_workers_folder_has_an_end(folder: Path, fill: Callable[[], object]) -> None:
    assert alone(folder, lambda: refused(fill), megabytes=2)


def test_workers_follow_each_other_and_share_nothing(folder: Path) -> None:
    def two_workers() -> list[list[str]]:
        table = os.open("/proc/self/ns/pid", os.O_RDONLY)

        def worker() -> list[str]:
            namespaces.private(1, os.getuid())
            found = os.listdir(namespaces.HOME)
            Path(namespaces.HOME, "left").touch()
            return [*found, str(os.getpid())]

        found = []
        for _ in range(2):
            namespaces.new_process_table()
            found.append(forked(worker))
            namespaces.back_to(table)
        return found

    assert rooted(folder, two_workers) == [["1"], ["1"]]


def test_what_a_worker_started_ends_with_it(folder: Path) -> None:
    """Even a process that has left its session: the first process of a table takes all others with it."""
    started = time.time()

    def leave_one_behind() -> int:
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
            os._exit(0)
        return 0

    assert alone(folder, leave_one_behind) == 0
    assert outcome(lambda: None) == "works"
    assert time.time() - started < 30
