"""The warm parent of the students' processes: `python -m autograder.inside.warm_parent <descriptor> <JSON>`

The JSON is {"packages": [names to import], "without": [layers to leave out]}. The process that is started is the
launcher; it forks the parent proper into the parent's confinement, waits for its end and cleans up after it. The
parent imports the packages once, says {"missing": {layer: reason}} on the control socket (sequenced packets of JSON)
and answers each message there:

    {"start": {"cpu", "memory", "disk", "files": {name: size}}}, with a file that has the contents one behind the other
                                           -> {"started": true} with the process's channel; limits as in `rlimits`
    {"look": true}                         -> {"cpu_seconds", "queued_seconds"}: what the student's process has used so
                                              far, and how long it waited for a processor
    {"end": true}                          -> {"signal": number or 0, "code", "cpu_seconds", "memory", "out_of_memory"}

A fault of its own is {"fault": reason}, and its end. One student's process lives at a time. Its channel goes straight
to the grader: nothing that a student can write is read here. When the control socket closes, the grader has gone, and
the parent ends that process and itself, in silence.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterator

import psutil

from autograder.inside import leftovers, server
from autograder.inside.confine import Confinement
from autograder.inside.seeds import seed_all
from autograder.inside.shell import Shell
from autograder.inside.working_files import WorkingFiles

_MESSAGE = 1 << 16
_USER = "student"
_REASON = 2000  # characters
_MODULES = {"matplotlib": ("matplotlib.pyplot", "matplotlib_inline.backend_inline")}  # where it is not itself


def main() -> None:
    """Launch the warm parent, wait for it, clean up."""
    control = socket.socket(fileno=int(sys.argv[1]))
    asked = json.loads(sys.argv[2])
    with _faults_told(control):
        leftovers.sweep()
        folder = leftovers.new_folder("parent")
        os.chmod(folder, 0o711)  # a student's process of another user must get through to its own folder
        try:
            confinement = Confinement(asked["without"], folder)
            confinement.launch()
            if (parent := os.fork()) == 0:
                _become_parent(control, confinement, asked["packages"])
            control.close()
            os.waitpid(parent, 0)
            confinement.remove()
        finally:
            leftovers.remove(folder)


def _become_parent(control: socket.socket, confinement: Confinement, packages: list[str]) -> None:
    """Never returns."""
    try:
        with _faults_told(control):
            confinement.settle()
            shell = _warm(packages, confinement.cache)
            control.send(json.dumps({"missing": confinement.missing}).encode())
            _WarmParent(control, shell, confinement).serve()
    finally:
        os._exit(0)


@contextlib.contextmanager
def _faults_told(control: socket.socket) -> Iterator[None]:
    """What goes wrong is for the grader to say. Where that has gone nobody needs to know, and it may be why."""
    try:
        yield
    except Exception as error:
        with contextlib.suppress(OSError):
            control.send(json.dumps({"fault": _reason(error)}).encode())


def _reason(error: Exception) -> str:
    if isinstance(error, _UnfitError):
        return str(error)[:_REASON]
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error}"[:_REASON] + f" ({place.filename}, line {place.lineno})"


class _WarmParent:
    def __init__(self, control: socket.socket, shell: Shell, confinement: Confinement) -> None:
        self._control = control
        self._shell = shell
        self._confinement = confinement
        self._process = 0
        self._memory_at_start = 0
        self._kills_at_start = 0

    def serve(self) -> None:
        try:
            while (received := socket.recv_fds(self._control, _MESSAGE, 1))[0]:
                message, descriptors, _, _ = received
                request = json.loads(message)
                if "start" in request:
                    with open(descriptors[0], "rb") as contents:
                        self._start(**request["start"], contents=contents.fileno())
                else:
                    self._answer(self._end() if "end" in request else self._look())
        finally:
            self._end()

    def _start(self, cpu: float, memory: int, disk: int, files: dict[str, int], contents: int) -> None:
        ours, theirs = socket.socketpair()
        self._kills_at_start = self._confinement.memory_kills()
        given = WorkingFiles(files, contents)
        disk += given.megabytes
        self._process = self._confinement.fork(memory, disk)
        if self._process == 0:
            _become_students(theirs, self._shell, self._confinement, cpu, memory, disk, given)
        theirs.close()
        self._memory_at_start = psutil.Process(self._process).memory_info().rss
        socket.send_fds(self._control, [json.dumps({"started": True}).encode()], [ours.fileno()])
        ours.close()

    def _answer(self, answer: dict[str, float]) -> None:
        self._control.send(json.dumps(answer).encode())

    def _look(self) -> dict[str, float]:
        times = psutil.Process(self._process).cpu_times()
        return {"cpu_seconds": times.user + times.system, "queued_seconds": _queued_seconds(self._process)}

    def _end(self) -> dict[str, float]:
        """End the student's process and all that it started, and remove what it wrote."""
        code, cpu_seconds, peak = 0, 0.0, 0
        while living := psutil.Process().children(recursive=True):
            for process in living:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            for process in living:
                with contextlib.suppress(ChildProcessError):
                    pid, status, usage = os.wait4(process.pid, 0)
                    cpu_seconds += usage.ru_utime + usage.ru_stime
                    peak = max(peak, usage.ru_maxrss)
                    code = os.waitstatus_to_exitcode(status) if pid == self._process else code
        self._confinement.clear()
        return {
            "signal": max(0, -code),
            "code": max(0, code),
            "cpu_seconds": cpu_seconds,
            "memory": max(0.0, (peak * 1024 - self._memory_at_start) / (1 << 20)),
            "out_of_memory": self._confinement.memory_kills() > self._kills_at_start,
        }


def _queued_seconds(process: int) -> float:
    """How long its main thread could have computed but had no processor; 0 where the kernel does not count it."""
    with contextlib.suppress(FileNotFoundError), open(f"/proc/{process}/schedstat") as file:
        return int(file.read().split()[1]) / 1e9
    return 0.0


def _become_students(
    channel: socket.socket,
    shell: Shell,
    confinement: Confinement,
    cpu: float,
    memory: int,
    disk: int,
    given: WorkingFiles,
) -> None:
    """Never returns: the forked process serves the grader until that ends it.

    Without the channel it stands still, so that how it ended does not hang on whether it or the grader was faster.
    """
    try:
        descriptor = confinement.enclose(channel.detach(), cpu, memory, disk, given)
        os.environ.update(HOME=confinement.home, TMPDIR=confinement.home, MPLCONFIGDIR=confinement.home)
        os.environ.update(USER=_USER, LOGNAME=_USER)  # no system file names who it is
        tempfile.tempdir = confinement.home
        shell.keep_in(confinement.home)
        sys.path.append(confinement.home)
        seed_all()
        with contextlib.suppress(OSError):
            server.serve(socket.socket(fileno=descriptor), shell)
        signal.pause()
    finally:
        os._exit(0)


def _warm(packages: list[str], cache: str) -> Shell:
    """Import and run once what each fork would else pay for; the parent stays single-threaded, so forks are safe."""
    os.environ.update(HOME=cache, TMPDIR=cache, MPLCONFIGDIR=cache, IPYTHONDIR=cache)
    tempfile.tempdir = cache
    for package in packages:
        _import(package)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
        x = torch.ones(2, 2, requires_grad=True)
        torch.relu(x @ x).backward(torch.ones(2, 2))
    shell = Shell()
    gc.collect()
    gc.freeze()
    return shell


def _import(package: str) -> None:
    """Errors: _UnfitError where it cannot be warmed up."""
    try:
        for module in _MODULES.get(package, (package,)):
            importlib.import_module(module)
    except BaseException as error:  # some end the process where they lack something
        raise _UnfitError(f"the package `{package}` cannot be imported: {type(error).__name__}: {error}") from error
    if psutil.Process().num_threads() > 1:  # a fork has none of them, and what they hold is held for ever
        why = f"the package `{package}` starts threads when it is imported, so it cannot be warmed up"
        raise _UnfitError(f"{why}; take it out of `packages`, notebooks can import it all the same")


class _UnfitError(Exception):
    """A package that no process can be forked with, in a sentence."""


if __name__ == "__main__":
    main()
