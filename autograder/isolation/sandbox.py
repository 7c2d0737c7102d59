"""Starts, limits and ends the students' processes. The grader's side of `inside/`.

A `Sandbox` holds one warm parent; `start` forks a `StudentProcess` from it, one at a time. That answers requests until
it dies or breaks a limit, which is raised as `ProcessEnded` with the status that the student's work gets for it.

Errors of ours are SandboxError.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from autograder import layout, wire
from autograder.errors import SandboxError
from autograder.exercise.folder import Limits
from autograder.inside import leftovers
from autograder.report import Status

_log = logging.getLogger(__name__)

GUARANTEES = ("files", "network", "processes", "privileges", "resources")  # `inside.selfcheck` says what each means

_WARM_MODULES = {
    "": (),
    "numpy": ("numpy", "matplotlib.pyplot", "matplotlib_inline.backend_inline"),
    "torch": ("numpy", "matplotlib.pyplot", "matplotlib_inline.backend_inline", "torch"),
}
_START_SECONDS = 120  # the warm parent's imports, on a slow disk
_CONTROL_SECONDS = 30
_POLL_SECONDS = 0.1
_MESSAGE = 1 << 16
# Numerical libraries pick other kernels by these, so the grader and the student must agree on them.
_SHARED_ENVIRONMENT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NVPL_BLAS_DEBUG_CPU_TYPE")


class ProcessEnded(Exception):
    """The student's process is no more. `status` is TIMEOUT or CRASHED, `reason` a sentence for the student."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Sandbox:
    """The warm parent for one framework: "numpy", "torch", or "" for a parent that has imported neither.

    without: layers of the confinement to leave out; for measurements and tests. allowed: guarantees that need not
    hold, because the instructor has said so. `missing` says of every absent layer why it is. `breaches` has the
    guarantees that did not hold in the last process.

    Use as a context manager, or call `close`; when the grader dies, the kernel closes the control socket and the
    parent ends itself and its process.
    """

    def __init__(self, framework: str, without: Collection[str] = (), allowed: Collection[str] = ()) -> None:
        if sys.platform != "linux":
            raise SandboxError(
                "students' code can be shut in on Linux only; elsewhere use the container, see docs/security.md"
            )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        asked = json.dumps({"modules": _WARM_MODULES[framework], "without": sorted(without)})
        command = [sys.executable, "-m", layout.WARM_PARENT, str(theirs.fileno()), asked]
        self._control = ours
        self._allowed = frozenset(allowed)
        self._canary = _Canary()
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], env=_environment(), cwd="/", stdin=subprocess.DEVNULL
        )
        theirs.close()
        self.missing: dict[str, str] = self._receive(_START_SECONDS)[0]["missing"]
        self.breaches: tuple[str, ...] = ()
        _log.info("a warm parent is ready, with %s", framework or "no framework")
        for layer, reason in self.missing.items():
            _log.info("there is no layer %s: %s", layer, reason)

    def start(self, limits: Limits, cpu_left: float | None = None) -> StudentProcess:
        """Fork a process under `limits`; cpu_left: what is left of the total CPU time, if it is less.

        Errors: SandboxError where a guarantee does not hold in it.
        """
        cpu_left = limits.total_cpu_seconds if cpu_left is None else cpu_left
        self._tell({"start": {"cpu": cpu_left, "memory": limits.memory, "disk": limits.disk}})
        _, descriptors = self._receive(_CONTROL_SECONDS)
        process = StudentProcess(self, socket.socket(fileno=descriptors[0]), limits, cpu_left)
        self.breaches = self._check(process)
        _log.info("a student's process is started; breaches: %s", ", ".join(self.breaches) or "none")
        if unexpected := sorted(set(self.breaches) - self._allowed):
            process.close()
            raise SandboxError(
                f"the student's process is not shut off from: {', '.join(unexpected)}; see `autograder doctor`"
            )
        return process

    def cpu_seconds(self) -> float:
        """What the process has used so far."""
        return float(self._ask({"look": True})["cpu_seconds"])

    def end(self) -> Exit:
        """End the process and everything that it started."""
        return Exit(**self._ask({"end": True}))

    def close(self) -> None:
        """End the warm parent and, with it, a process that still lives."""
        self._control.close()
        self._canary.close()
        try:
            self._process.wait(_CONTROL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self, process: StudentProcess) -> tuple[str, ...]:
        """Nothing of the student's has run yet, so this one answer is the process's own."""
        message = {"do": "check", "canary": self._canary.folder, "port": self._canary.port}
        try:
            answer = process.request(message, _nothing_special, _nothing_special, process.stopwatch())
        except ProcessEnded as ended:
            raise SandboxError(f"the student's process could not be enclosed: {ended.reason}") from None
        return tuple(answer["value"])

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self._tell(message)
        return self._receive(_CONTROL_SECONDS)[0]

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            self._control.send(json.dumps(message).encode())
        except OSError as error:
            raise SandboxError(f"the warm parent of the students' processes has ended: {error}") from None

    def _receive(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        try:
            self._control.settimeout(seconds)
            message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, 1)
        except OSError as error:
            raise SandboxError(f"the warm parent of the students' processes does not answer: {error}") from None
        if not message:
            raise SandboxError("the warm parent of the students' processes has ended")
        return json.loads(message), descriptors


class _Canary:
    """What no process may reach: a file that anybody may read, a folder to write to, a port that listens."""

    def __init__(self) -> None:
        self.folder = leftovers.new_folder("canary")
        os.chmod(self.folder, 0o755)
        Path(self.folder, "readable").touch(0o644)
        Path(self.folder, "writable").mkdir()
        os.chmod(Path(self.folder, "writable"), 0o777)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def close(self) -> None:
        self._listener.close()
        leftovers.remove(self.folder)


@dataclass(frozen=True)
class Exit:
    """How a process ended: by which signal (0: none), with which exit code, after how many seconds of CPU time.

    memory: MiB that it held at most, on top of what the warm parent holds.
    """

    signal: int
    code: int
    cpu_seconds: float
    memory: float


class Stopwatch:
    """The limits of one cell or call. It looks at the processor's clock only now and then."""

    def __init__(self, cpu_seconds: Callable[[], float], limits: Limits) -> None:
        self._cpu_seconds = cpu_seconds
        self._limits = limits
        self._start = time.monotonic()
        self._next_look = self._start + _POLL_SECONDS
        self._cpu_at_first_look: float | None = None  # most calls end before it

    def check(self) -> None:
        """Errors: ProcessEnded where a limit is passed."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _POLL_SECONDS
        used = self._cpu_seconds()
        self._cpu_at_first_look = used if self._cpu_at_first_look is None else self._cpu_at_first_look
        if used - self._cpu_at_first_look > self._limits.cpu_seconds:
            raise ProcessEnded(Status.TIMEOUT, f"it computed for more than {self._limits.cpu_seconds:g} seconds")
        if now - self._start > self._limits.wall_seconds:
            raise ProcessEnded(
                Status.TIMEOUT, f"it was not done after {self._limits.wall_seconds:g} seconds of waiting"
            )


class StudentProcess:
    """One student's process. Every answer of it is hostile data."""

    def __init__(self, sandbox: Sandbox, channel: socket.socket, limits: Limits, cpu_left: float) -> None:
        channel.setblocking(False)
        self._sandbox = sandbox
        self._channel = channel
        self._limits = limits
        self._cpu_left = cpu_left
        self.ended: Exit | None = None

    def stopwatch(self) -> Stopwatch:
        """Start the limits of one cell or call."""
        return Stopwatch(self._sandbox.cpu_seconds, self._limits)

    def request(
        self, message: dict[str, Any], sender: wire.Sender, receiver: wire.Receiver, stopwatch: Stopwatch
    ) -> Any:
        """Send `message` and wait for one answer.

        Errors: ProcessEnded, after which the process is gone; WireError where `message` cannot cross.
        """
        frame = wire.encode(message, sender)
        try:
            self._send(frame, stopwatch)
            return wire.receive(self._channel, receiver, lambda: self._wait(stopwatch, writing=False))
        except wire.WireError as error:
            raise self.broke_protocol(str(error)) from None
        except (EOFError, OSError):
            raise self._died() from None
        except ProcessEnded:
            self.close()
            raise

    def broke_protocol(self, how: str) -> ProcessEnded:
        """End the process for an answer that is none; the exception to raise."""
        self.close()
        return ProcessEnded(Status.CRASHED, f"the notebook's process answered with something that is no answer ({how})")

    def close(self) -> Exit:
        """End the process and all that it started, if they still live."""
        if self.ended is None:
            self._channel.close()
            self.ended = self._sandbox.end()
            how, took, held = (self.ended.signal, self.ended.code), self.ended.cpu_seconds, self.ended.memory
            _log.info("it is ended: signal %d, exit code %d, %.2f CPU seconds, %.0f MiB", *how, took, held)
        return self.ended

    def _send(self, frame: bytes, stopwatch: Stopwatch) -> None:
        view = memoryview(frame)
        while view:
            self._wait(stopwatch, writing=True)
            with suppress(BlockingIOError):
                view = view[self._channel.send(view) :]

    def _wait(self, stopwatch: Stopwatch, writing: bool) -> None:
        poll = select.poll()
        poll.register(self._channel, select.POLLOUT if writing else select.POLLIN)
        while True:
            ready = poll.poll(_POLL_SECONDS * 1000)
            stopwatch.check()
            if ready:
                return

    def _died(self) -> ProcessEnded:
        ended = self.close()
        if ended.signal == signal.SIGXCPU or ended.cpu_seconds > self._cpu_left:
            limit = self._limits.total_cpu_seconds
            return ProcessEnded(Status.TIMEOUT, f"the notebook computed for more than {limit:g} seconds in all")
        how = f"signal {ended.signal}" if ended.signal else f"exit code {ended.code}"
        return ProcessEnded(Status.CRASHED, f"it ended the notebook's process ({how})")


def _nothing_special(*_: object) -> None:
    """The self-check's request and answer are plain data."""


def _environment() -> dict[str, str]:
    fixed = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TMPDIR": tempfile.gettempdir(),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        # Huge pages make the fork of a warm process cheaper: fewer page table entries are copied.
        "PYTHONMALLOC": "malloc",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "PYTHONPATH": str(layout.IMPORTED_FROM),
    }
    return fixed | {name: os.environ[name] for name in _SHARED_ENVIRONMENT if name in os.environ}
