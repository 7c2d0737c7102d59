"""The warm parent of the students' processes: `python -m autograder.inside.zygote <descriptor> <module>...`

It imports the modules once, then waits on the control socket (sequenced packets of JSON) and answers each message:

    {"start": {"cpu": seconds, "memory": MiB, "disk": MiB}}   -> {"pid": number} with the worker's channel attached
    {"end": true}                                             -> {"signal": number or 0, "code", "cpu_seconds"}

One worker lives at a time. The worker's channel goes straight to the grader: nothing that a student can write is
read here. When the control socket closes, the grader has gone, and the zygote ends its worker and itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from typing import Any

import psutil

from autograder.inside import confine, worker
from autograder.inside.shell import Shell

_MESSAGE = 1 << 16


def main() -> None:
    """Leave the network, get warm, serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    offline = confine.leave_network()
    confine.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="autograder-") as home:
        shell = _warm(sys.argv[2:], home)
        control.send(json.dumps({"network": not offline}).encode())
        _Zygote(control, shell, home).serve()


class _Zygote:
    def __init__(self, control: socket.socket, shell: Shell, home: str) -> None:
        self._control = control
        self._shell = shell
        self._folder = os.path.join(home, "work")
        self._worker = 0

    def serve(self) -> None:
        while message := self._control.recv(_MESSAGE):
            request = json.loads(message)
            if "start" in request:
                self._start(request["start"])
            else:
                self._control.send(json.dumps(self._end()).encode())
        self._end()

    def _start(self, limits: dict[str, Any]) -> None:
        os.mkdir(self._folder, 0o700)
        ours, theirs = socket.socketpair()
        self._worker = os.fork()
        if self._worker == 0:
            _become_worker(theirs, self._shell, self._folder, limits)
        theirs.close()
        socket.send_fds(self._control, [json.dumps({"pid": self._worker}).encode()], [ours.fileno()])
        ours.close()

    def _end(self) -> dict[str, float]:
        """End the worker and all that it started, and remove what it wrote."""
        code, cpu_seconds = 0, 0.0
        while living := psutil.Process().children(recursive=True):
            for process in living:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            for process in living:
                with contextlib.suppress(ChildProcessError):
                    pid, status, usage = os.wait4(process.pid, 0)
                    cpu_seconds += usage.ru_utime + usage.ru_stime
                    code = os.waitstatus_to_exitcode(status) if pid == self._worker else code
        shutil.rmtree(self._folder, ignore_errors=True)
        return {"signal": max(0, -code), "code": max(0, code), "cpu_seconds": cpu_seconds}


def _become_worker(channel: socket.socket, shell: Shell, folder: str, limits: dict[str, Any]) -> None:
    """Never returns: the forked process serves the grader and ends."""
    try:
        os.setsid()
        confine.die_with_parent()
        descriptor = confine.keep_only(channel.detach())
        os.umask(0o077)
        os.chdir(folder)
        os.environ.update(HOME=folder, TMPDIR=folder)
        tempfile.tempdir = folder
        sys.path.append(folder)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        confine.limit(limits["cpu"], limits["memory"], limits["disk"])
        worker.serve(socket.socket(fileno=descriptor), shell)
    finally:
        os._exit(0)


def _warm(modules: list[str], home: str) -> Shell:
    """Import and run once what every worker would else pay for; the parent stays single-threaded, so forks are safe."""
    os.environ.update(HOME=home, TMPDIR=home, MPLCONFIGDIR=home, IPYTHONDIR=home)
    for module in modules:
        importlib.import_module(module)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
        x = torch.ones(2, 2, requires_grad=True)
        torch.relu(x @ x).backward(torch.ones(2, 2))
    shell = Shell()
    gc.collect()
    gc.freeze()
    return shell


if __name__ == "__main__":
    main()
