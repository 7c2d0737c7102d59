"""What a student's process must not have: the network, its parent's descriptors, and more than its share.

Each function is one mechanism and raises OSError where the system refuses it, unless it says otherwise.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
_KILL = 9
_MIB = 1 << 20


def leave_network() -> bool:
    """Move this process and its later children to an empty network; False where the system has no such thing.

    Only a process of one thread may do it.
    """
    if sys.platform != "linux":
        return False
    user, group = os.getuid(), os.getgid()
    if _libc().unshare(_NEW_NETWORK) == 0:
        return True
    if _libc().unshare(_NEW_USER | _NEW_NETWORK) != 0:
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    return True


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none escapes its end."""
    if sys.platform == "linux":
        _libc().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Let the kernel end this process when its parent ends."""
    if sys.platform == "linux":
        _libc().prctl(_SET_PARENT_DEATH_SIGNAL, _KILL, 0, 0, 0)


def keep_only(descriptor: int) -> int:
    """Close every descriptor but `descriptor`, which becomes number 3; 0, 1 and 2 lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    parked = os.dup2(descriptor, 200)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.dup2(parked, 3)
    os.closerange(4, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return 3


def limit(cpu_seconds: float, memory: int, disk: int) -> None:
    """Hard limits. cpu_seconds: for the whole process. memory: MiB on top of what is held now. disk: MiB a file."""
    _hard(resource.RLIMIT_CPU, int(cpu_seconds) + 1)
    _hard(resource.RLIMIT_FSIZE, disk * _MIB)
    _hard(resource.RLIMIT_CORE, 0)
    _hard(resource.RLIMIT_NOFILE, 128)
    if sys.platform == "linux":
        _hard(resource.RLIMIT_AS, _address_space() + memory * _MIB)


def _hard(kind: int, value: int) -> None:
    resource.setrlimit(kind, (value, value))


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
