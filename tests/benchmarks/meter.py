"""Measures a command together with every process that it starts.

The CPU seconds are those that the kernel hands over when a process is reaped: its own and those of all descendants
that were reaped below it. A descendant whose parent ends first would escape that sum, so `adopt_orphans` lets it come
to this process, which reaps it here. The memory is looked at four times a second.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

_PR_SET_CHILD_SUBREAPER = 36
_LOOK_SECONDS = 0.25
_MIB = 1 << 20


@dataclass(frozen=True)
class Measured:
    """What one run of a command took.

    main_mib: the most that its own process held. tree_mib: the most that all of its processes held at one moment, where
    memory that two of them share counts twice.
    """

    cpu_seconds: float
    wall_seconds: float
    main_mib: float
    tree_mib: float
    output: str


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs. This process must have no other children while it measures."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def measure(command: Sequence[str | Path], folder: Path, environment: dict[str, str], seconds: float) -> Measured:
    """Run `command` in `folder` for `seconds` at most. Errors: RuntimeError where it fails or takes longer."""
    with (folder / ".output").open("w+b") as output, _clock(seconds), _memory() as memory:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        memory.main = process.pid
        cpu, wall = _reap(process, start)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode:
        raise RuntimeError(f"{command}: exit status {process.returncode} after {wall:.0f} s\n{text[-4000:]}")
    return Measured(cpu, wall, memory.main_peak / _MIB, memory.tree_peak / _MIB, text)


def _reap(process: subprocess.Popen[bytes], start: float) -> tuple[float, float]:
    """Wait for the command and for all that it leaves behind: CPU seconds in all, seconds until the command ended."""
    cpu = wall = 0.0
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status, usage = os.wait4(-1, 0)
            cpu += usage.ru_utime + usage.ru_stime
            if pid == process.pid:
                wall = time.perf_counter() - start
                process.returncode = os.waitstatus_to_exitcode(status)
    return cpu, wall


@contextlib.contextmanager
def _clock(seconds: float) -> Iterator[None]:
    timer = threading.Timer(seconds, _kill_descendants)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _kill_descendants() -> None:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


class _Memory:
    main = 0
    main_peak = tree_peak = 0

    def look(self) -> None:
        with contextlib.suppress(psutil.NoSuchProcess, OSError):
            self.main_peak = max(self.main_peak, _peak_of(self.main))
        self.tree_peak = max(self.tree_peak, sum(map(_rss, psutil.Process().children(recursive=True))))


@contextlib.contextmanager
def _memory() -> Iterator[_Memory]:
    memory, done = _Memory(), threading.Event()

    def watch() -> None:
        while not done.wait(_LOOK_SECONDS):
            memory.look()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield memory
    finally:
        done.set()
        thread.join()


def _peak_of(pid: int) -> int:
    """The most that a process has ever held: the kernel keeps count, in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")), 0)


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
