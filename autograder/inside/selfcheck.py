"""What a student's process tries before it runs student code: nothing of this may work.

The guarantees are

    files       no file and no folder of the machine's can be read or written but those that are meant
    network     nothing can be sent to anybody
    processes   no other process can be touched, and none can be started
    privileges  there are none, and none can be had
    resources   CPU time and memory have an end

The grader lays out a canary: a file that anybody may read, a folder that anybody may write to and a port that
listens, so that only the confinement can be what stops the student's process, not the modes of files.
"""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Callable
from functools import partial

_SECONDS = 1.0


def breaches(canary: str, port: int) -> list[str]:
    """The names of those guarantees that do not hold here.

    canary: a folder with the file `readable` and the folder `writable`. port: one that listens on the loopback.
    """
    attempts: dict[str, list[Callable[[], object]]] = {
        "files": [lambda: open(f"{canary}/readable").close(), lambda: open(f"{canary}/writable/x", "w").close()],
        "network": [lambda: socket.create_connection(("127.0.0.1", port), _SECONDS).close(), *_sockets()],
        "processes": [_signal_parent, _fork],
        "privileges": [_hold_a_capability, lambda: os.setuid(0)],
        "resources": [_have_no_limit],
    }
    return [name for name, tries in attempts.items() if any(_works(attempt) for attempt in tries)]


def _sockets() -> list[Callable[[], object]]:
    kinds = [(socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_UNIX, socket.SOCK_STREAM)]
    return [partial(socket.socket, family, kind) for family, kind in kinds]


def _signal_parent() -> None:
    parent = os.getppid()
    if parent == 0:
        raise ProcessLookupError("the parent is in another process table")
    os.kill(parent, 0)


def _fork() -> None:
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _hold_a_capability() -> None:
    with open("/proc/self/status") as file:
        held = next(line.split()[1] for line in file if line.startswith("CapEff:"))
    if int(held, 16) == 0:
        raise PermissionError("no capability")


def _have_no_limit() -> None:
    if all(resource.getrlimit(kind)[1] != resource.RLIM_INFINITY for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU)):
        raise PermissionError("limited")


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True
