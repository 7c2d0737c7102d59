"""Resource limits of one process, hard ones: it cannot raise them again."""

from __future__ import annotations

import resource

_MIB = 1 << 20
_OPEN_FILES = 128
THREADS = 64
_ALL, _WRITABLE = 0, 5  # places in /proc/self/statm


def restrict(cpu_seconds: float, memory: int, disk: int) -> None:
    """cpu_seconds: of the whole process. memory: MiB on top of what it holds now. disk: MiB for one file."""
    _hard(resource.RLIMIT_CPU, int(cpu_seconds) + 1)
    _hard(resource.RLIMIT_FSIZE, disk * _MIB)
    _hard(resource.RLIMIT_CORE, 0)
    _hard(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _hard(resource.RLIMIT_AS, _mapped(_ALL) + memory * _MIB)
    with open("/proc/self/oom_score_adj", "w") as file:  # where memory runs short, this process goes first
        file.write("1000")


def restrict_threads() -> None:
    """For a user of its own only: the limit counts all that the user has."""
    _hard(resource.RLIMIT_NPROC, THREADS)


def _hard(kind: int, value: int) -> None:
    """`value`, or the limit that this process has already, where that is lower."""
    present = resource.getrlimit(kind)[1]
    if present != resource.RLIM_INFINITY:
        value = min(value, present)
    resource.setrlimit(kind, (value, value))


def writable() -> int:
    """MiB of this process's memory that it can write to without asking for more."""
    return _mapped(_WRITABLE) // _MIB + 1


def _mapped(kind: int) -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[kind]) * resource.getpagesize()
