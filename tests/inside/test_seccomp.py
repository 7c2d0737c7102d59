"""The system-call filter by itself: what it refuses, what it pretends, and what numerical work needs of it."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import platform
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.inside import kernel
from autograder.inside.seccomp import Filter
from tests.inside.forked import Step, outcome, works

pytestmark = pytest.mark.skipif(not works(Filter), reason="libseccomp is not installed")


def restrict() -> None:
    Filter().restrict()


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def die_with_nobody() -> None:
    kernel.prctl(1, 0)


REFUSED: dict[str, Step] = {
    "internet": lambda: socket.socket(socket.AF_INET),
    "datagrams": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "local socket": lambda: socket.socket(socket.AF_UNIX),
    "kernel's socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 0),
    "pair that can send to others": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    "fork": fork,
    "program": lambda: subprocess.run(["/bin/true"], check=True),
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "signal": lambda: os.kill(os.getppid(), 0),
    "signal to the group": lambda: os.kill(0, signal.SIGURG),
    "handle of a process": lambda: os.pidfd_open(os.getppid()),
    "signals of a file": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid()),
    "notices of a folder": lambda: kernel.call("inotify_init"),
    "memory with a name": lambda: os.memfd_create("x"),
    "pipe with a name": lambda: os.mkfifo(f"/tmp/autograder-test-{os.getpid()}-{time.monotonic_ns()}"),
    "its own debugger": lambda: kernel.call("ptrace", 0, 0, 0, 0),
    "death signal": die_with_nobody,
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
    "limits of another": lambda: kernel.call("prlimit", os.getppid(), 7, None, None),
    "shared segment": lambda: kernel.call("shmctl", kernel.call("shmget", 0, 4096, 0o1600), 0, None),
}


@pytest.mark.parametrize("step", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_works_without_the_filter(step: Step) -> None:
    assert outcome(step) == "works"
    assert outcome(restrict, step) in ("PermissionError", "OSError")


def talk() -> None:
    one, other = socket.socketpair()
    one.sendall(b"x")
    assert other.recv(1) == b"x"


def run_threads() -> None:
    threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def handle_a_signal() -> None:
    got: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: got.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    assert got == [signal.SIGUSR1]


ALLOWED: dict[str, Step] = {
    "pair": talk,
    "threads": run_threads,
    "own signal": handle_a_signal,
    "memory": lambda: mmap.mmap(-1, 1 << 20).write(b"x"),
    "sleep": lambda: time.sleep(0.001),
    "waiting": lambda: select.epoll().poll(0),
    "pipe": lambda: os.write(os.pipe()[1], b"x"),
    "random numbers": lambda: os.urandom(8),
    "own limits": lambda: kernel.call("prlimit", 0, 7, None, None),
    "own processors": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
}


@pytest.mark.parametrize("step", ALLOWED.values(), ids=ALLOWED)
def test_what_ordinary_work_needs_is_allowed(step: Step) -> None:
    assert outcome(restrict, step) == "works"


def test_files_are_not_its_matter(tmp_path: Path) -> None:
    def use_files() -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "file").write_text("text")
        (tmp_path / "folder" / "file").rename(tmp_path / "file")
        (tmp_path / "link").symlink_to("file")
        assert (tmp_path / "link").read_text() == "text"
        os.truncate(os.open(tmp_path / "file", os.O_RDWR), 1)
        (tmp_path / "file").unlink()

    assert outcome(restrict, use_files) == "works"


@pytest.mark.parametrize(
    "change",
    [
        lambda path: os.chmod(path, 0o777),
        lambda path: os.chmod(os.open(path, os.O_RDONLY), 0o777),
        lambda path: os.utime(path, (0, 0)),
        lambda path: os.utime(os.open(path, os.O_RDONLY), (0, 0)),
    ],
)
def test_modes_and_times_are_said_to_be_changed_and_are_not(tmp_path: Path, change: Callable[[Path], None]) -> None:
    file = tmp_path / "file"
    file.touch(0o600)
    before = file.stat()
    assert outcome(restrict, lambda: change(file)) == "works"
    assert file.stat() == before
    assert outcome(lambda: change(file)) == "works"
    assert file.stat() != before


def test_a_call_that_is_not_listed_does_not_exist() -> None:
    def swap_on() -> None:
        number = ctypes.CDLL("libseccomp.so.2").seccomp_syscall_resolve_name(b"swapon")
        with pytest.raises(OSError, match="not implemented"):
            kernel.system_call(number, "/", 0)

    assert outcome(restrict, swap_on) == "works"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have one kind of call")
@pytest.mark.parametrize("code", ["b814000000cd80c3", "b827000040" + "0f05c3"], ids=["32 bits", "x32"])
def test_calls_of_another_kind_end_the_process(code: str) -> None:
    """getpid in machine code, by the numbers of two other interfaces."""

    def call() -> None:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(bytes.fromhex(code))
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()

    assert outcome(call) in ("works", "SIGSEGV")
    assert outcome(restrict, call) == "SIGSYS"


def test_no_thread_gets_round_it() -> None:
    def in_a_thread() -> None:
        refused = []

        def attempt() -> None:
            try:
                socket.socket()
            except OSError:
                refused.append(True)

        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        assert refused

    assert outcome(restrict, in_a_thread) == "works"
