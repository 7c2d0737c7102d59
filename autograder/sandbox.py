"""Starts, limits and ends the students' processes. The grader's side of `inside/`.

A `Sandbox` holds one warm parent; `start` forks a `Child` from it, one at a time. A child answers requests until it
dies or breaks a limit, which is raised as `ChildEnded` with the status that the student's work gets for it.

Errors of ours are SandboxError.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, Self

import psutil

from autograder import wire
from autograder.errors import SandboxError
from autograder.exercise import Limits
from autograder.report import Status

_WARM_MODULES = {
    "numpy": ("numpy", "matplotlib.pyplot", "matplotlib_inline.backend_inline"),
    "torch": ("numpy", "matplotlib.pyplot", "matplotlib_inline.backend_inline", "torch"),
}
_START_SECONDS = 120  # the warm parent's imports, on a slow disk
_CONTROL_SECONDS = 30
_POLL_SECONDS = 0.1
_MESSAGE = 1 << 16
# Numerical libraries pick other kernels by these, so the grader and the student must agree on them.
_SHARED_ENVIRONMENT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NVPL_BLAS_DEBUG_CPU_TYPE")


class ChildEnded(Exception):
    """The student's process is no more. `status` is TIMEOUT or CRASHED, `reason` a sentence for the student."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Sandbox:
    """The warm parent for one framework ("numpy" or "torch").

    Use as a context manager, or call `close`; when the grader dies, the kernel closes the control socket and the
    parent ends itself and its child.
    """

    def __init__(self, framework: str) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "autograder.inside.zygote", str(theirs.fileno()), *_WARM_MODULES[framework]]
        self._control = ours
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], env=_environment(), cwd="/", stdin=subprocess.DEVNULL
        )
        theirs.close()
        self.layers: dict[str, bool] = self._receive(_START_SECONDS)[0]

    def start(self, limits: Limits) -> Child:
        """Fork a child under `limits`."""
        self._control.send(json.dumps({"start": _hard_limits(limits)}).encode())
        answer, descriptors = self._receive(_CONTROL_SECONDS)
        return Child(self, socket.socket(fileno=descriptors[0]), answer["pid"], limits)

    def end(self) -> Exit:
        """End the child and everything that it started."""
        self._control.send(json.dumps({"end": True}).encode())
        answer, _ = self._receive(_CONTROL_SECONDS)
        return Exit(**answer)

    def close(self) -> None:
        """End the warm parent and, with it, a child that still lives."""
        self._control.close()
        try:
            self._process.wait(_CONTROL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        try:
            self._control.settimeout(seconds)
            message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, 1)
        except OSError as error:
            raise SandboxError(f"the warm parent of the students' processes does not answer: {error}") from None
        if not message:
            raise SandboxError("the warm parent of the students' processes has ended")
        return json.loads(message), descriptors


@dataclass(frozen=True)
class Exit:
    """How a child ended: by which signal (0: none), with which exit code, after how many seconds of CPU time."""

    signal: int
    code: int
    cpu_seconds: float


class Stopwatch:
    """The limits of one cell or call. It looks at the processor's clock only now and then."""

    def __init__(self, process: psutil.Process | None, limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self._start, self._cpu = time.monotonic(), self._cpu_seconds()
        self._next_look = self._start + _POLL_SECONDS

    def check(self) -> None:
        """Errors: ChildEnded where a limit is passed."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _POLL_SECONDS
        if self._cpu_seconds() - self._cpu > self._limits.cpu_seconds:
            raise ChildEnded(Status.TIMEOUT, f"it computed for more than {self._limits.cpu_seconds:g} seconds")
        if now - self._start > self._limits.wall_seconds:
            raise ChildEnded(Status.TIMEOUT, f"it was not done after {self._limits.wall_seconds:g} seconds of waiting")

    def _cpu_seconds(self) -> float:
        with contextlib.suppress(psutil.Error):
            if self._process:
                times = self._process.cpu_times()
                return float(times.user + times.system)
        return 0.0


class Child:
    """One student's process. Every answer of it is hostile data."""

    def __init__(self, sandbox: Sandbox, channel: socket.socket, pid: int, limits: Limits) -> None:
        self._sandbox = sandbox
        self._channel = channel
        self._process = _process(pid)
        self._limits = limits
        self.ended: Exit | None = None

    def stopwatch(self) -> Stopwatch:
        """Start the limits of one cell or call."""
        return Stopwatch(self._process, self._limits)

    def request(
        self, message: dict[str, Any], sender: wire.Sender, receiver: wire.Receiver, stopwatch: Stopwatch
    ) -> Any:
        """Send `message` and wait for one answer.

        Errors: ChildEnded, after which the child is gone.
        """
        try:
            self._send(wire.encode(message, sender), stopwatch)
            return wire.receive(self._channel, receiver, lambda: self._wait(stopwatch, writing=False))
        except wire.WireError as error:
            raise self.broke_protocol(str(error)) from None
        except (EOFError, OSError):
            raise self._died() from None
        except ChildEnded:
            self.close()
            raise

    def broke_protocol(self, how: str) -> ChildEnded:
        """End the child for an answer that is none; the exception to raise."""
        self.close()
        return ChildEnded(Status.CRASHED, f"the notebook's process answered with something that is no answer ({how})")

    def close(self) -> Exit:
        """End the process and all that it started, if they still live."""
        if self.ended is None:
            self._channel.close()
            self.ended = self._sandbox.end()
        return self.ended

    def _send(self, frame: bytes, stopwatch: Stopwatch) -> None:
        view = memoryview(frame)
        while view:
            self._wait(stopwatch, writing=True)
            view = view[self._channel.send(view) :]

    def _wait(self, stopwatch: Stopwatch, writing: bool) -> None:
        readers, writers = ([], [self._channel]) if writing else ([self._channel], [])
        while True:
            ready = select.select(readers, writers, [], _POLL_SECONDS)
            stopwatch.check()
            if ready[0] or ready[1]:
                return

    def _died(self) -> ChildEnded:
        ended = self.close()
        if ended.signal == signal.SIGXCPU or ended.cpu_seconds > self._limits.total_cpu_seconds:
            limit = self._limits.total_cpu_seconds
            return ChildEnded(Status.TIMEOUT, f"the notebook computed for more than {limit:g} seconds in all")
        how = f"signal {ended.signal}" if ended.signal else f"exit code {ended.code}"
        return ChildEnded(Status.CRASHED, f"it ended the notebook's process ({how})")


def _hard_limits(limits: Limits) -> dict[str, float]:
    return {"cpu": limits.total_cpu_seconds, "memory": limits.memory, "disk": limits.disk}


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _environment() -> dict[str, str]:
    fixed = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        # Huge pages make the fork of a warm process cheaper: fewer page table entries are copied.
        "PYTHONMALLOC": "malloc",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    }
    return fixed | {name: os.environ[name] for name in _SHARED_ENVIRONMENT if name in os.environ}
