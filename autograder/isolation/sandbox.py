"""Starts, limits and ends the students' processes. The grader's side of `inside/`.

A `Sandbox` holds one warm parent; `start` forks a `StudentProcess` from it, one at a time. Errors of ours are
SandboxError.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from autograder import layout
from autograder.errors import SandboxError
from autograder.exercise.definition import Limits
from autograder.inside import leftovers
from autograder.isolation.process import Exit, ProcessEnded, StudentProcess, Usage
from autograder.isolation.protection import FULL, Protection

_log = logging.getLogger(__name__)

_START_SECONDS = 120  # the warm parent's imports, on a slow disk
_CONTROL_SECONDS = 30
_MESSAGE = 1 << 16
# Numerical libraries pick other kernels by these, so the grader and the student must agree on them.
_SHARED_ENVIRONMENT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NVPL_BLAS_DEBUG_CPU_TYPE")


class Sandbox:
    """A warm parent that has imported these packages.

    `missing` says of every absent layer why it is. `breaches` has the guarantees that did not hold in the last process.

    Use as a context manager, or call `close`; when the grader dies, the kernel closes the control socket and the
    parent ends itself and its process.
    """

    def __init__(self, packages: Sequence[str], protection: Protection = FULL) -> None:
        if sys.platform != "linux":
            raise SandboxError(
                "students' code can be shut in on Linux only; elsewhere use the container, see docs/security.md"
            )
        try:
            self._canary = _Canary()
        except OSError as error:  # a full disk
            raise SandboxError(f"what students' processes are tried with cannot be made: {error}") from None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        asked = json.dumps({"packages": [*packages], "without": sorted(protection.disabled_layers)})
        command = [sys.executable, "-m", layout.WARM_PARENT, str(theirs.fileno()), asked]
        self._control = ours
        self._protection = protection
        # In a group of its own, Ctrl-C reaches the grader alone, which then ends the parent or leaves it to end itself.
        self._warm_parent = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            env=_environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # some packages greet
            process_group=0,
        )
        theirs.close()
        try:
            self.missing: dict[str, str] = self._receive(_START_SECONDS)[0]["missing"]
        except SandboxError:
            self.close()
            raise
        self.breaches: tuple[str, ...] = ()
        _log.info("a warm parent is ready, with %s", ", ".join(packages) or "no packages")
        for layer, reason in self.missing.items():
            _log.info("there is no layer %s: %s", layer, reason)

    def start(
        self, limits: Limits, cpu_left: float | None = None, files: Mapping[str, bytes] = MappingProxyType({})
    ) -> StudentProcess:
        """Fork a process under `limits`; cpu_left: what is left of the total CPU time, if it is less.

        files: what lies in its working folder, by name; it is read-only there and takes nothing of the disk's limit.
        Errors: SandboxError where a guarantee does not hold in it.
        """
        cpu_left = limits.total_cpu_seconds if cpu_left is None else cpu_left
        asked = {"cpu": cpu_left, "memory": limits.memory, "disk": limits.disk}
        sizes = {name: len(content) for name, content in files.items()}
        with _in_memory(files.values()) as contents:
            _, descriptors = self._ask({"start": asked | {"files": sizes}}, [contents])
        process = StudentProcess(socket.socket(fileno=descriptors[0]), limits, cpu_left, self.usage, self.end)
        self.breaches = self._check(process)
        _log.info("a student's process is started; breaches: %s", ", ".join(self.breaches) or "none")
        if unexpected := sorted(set(self.breaches) - self._protection.tolerated_breaches):
            process.close()
            raise SandboxError(
                f"the student's process is not shut off from: {', '.join(unexpected)}; see `autograder doctor`"
            )
        return process

    def usage(self) -> Usage:
        """What the process has used so far."""
        return Usage(**self._ask({"look": True})[0])

    def end(self) -> Exit:
        """End the process and everything that it started."""
        return Exit(**self._ask({"end": True})[0])

    def close(self) -> None:
        """End the warm parent and, with it, a process that still lives."""
        self._control.close()
        self._canary.close()
        try:
            self._warm_parent.wait(_CONTROL_SECONDS)
        except subprocess.TimeoutExpired:
            self._warm_parent.kill()
            self._warm_parent.wait()

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

    def _ask(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> tuple[dict[str, Any], list[int]]:
        with suppress(OSError):  # where it has ended it may have said why
            socket.send_fds(self._control, [json.dumps(message).encode()], descriptors)
        return self._receive(_CONTROL_SECONDS)

    def _receive(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        try:
            self._control.settimeout(seconds)
            message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, 1)
        except OSError as error:
            raise SandboxError(f"the warm parent of the students' processes does not answer: {error}") from None
        if not message:
            raise SandboxError("the warm parent of the students' processes has ended")
        answer = json.loads(message)
        if "fault" in answer:
            raise SandboxError(f"the warm parent of the students' processes broke: {answer['fault']}")
        return answer, descriptors


class _Canary:
    """What no process may reach: a file that anybody may read, a folder to write to, a port that listens."""

    def __init__(self) -> None:
        self.folder = leftovers.new_folder("canary")
        try:
            os.chmod(self.folder, 0o755)
            Path(self.folder, "readable").touch(0o644)
            Path(self.folder, "writable").mkdir()
            os.chmod(Path(self.folder, "writable"), 0o777)
        except OSError:
            leftovers.remove(self.folder)
            raise
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def close(self) -> None:
        self._listener.close()
        leftovers.remove(self.folder)


@contextmanager
def _in_memory(contents: Iterable[bytes]) -> Iterator[int]:
    """The descriptor of a file without a name that has these one behind the other."""
    with open(os.memfd_create(f"{layout.TEMPORARY_PREFIX}files"), "wb") as file:
        file.writelines(contents)
        file.flush()
        yield file.fileno()


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
