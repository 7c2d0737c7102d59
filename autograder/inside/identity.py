"""Who a student's process is: a user of no other use, without capabilities, and unable to become anybody else."""

from __future__ import annotations

import os
import struct

from autograder.inside import kernel

# Reserved by Debian for uses like this, and below those that systemd gives out.
_FIRST_USER, _USERS = 61000, 184

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_BOUNDING, _SET_SUBREAPER, _NO_NEW_PRIVILEGES = 1, 4, 24, 36, 38
_KILL, _CAPABILITIES_VERSION_3, _LAST_CAPABILITY = 9, 0x20080522, 63


def own_user() -> int:
    """The user for the students' processes of this warm parent; two parents at a time have different ones as a rule."""
    return _FIRST_USER + os.getpid() % _USERS


def become(user: int) -> None:
    """Give up being root. Errors: OSError where this process is not root, or `user` is nobody it may become."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    kernel.prctl(_SET_DUMPABLE, 1)  # or its own /proc/self would belong to root


def renounce() -> None:
    """Drop every capability, for good, and the way to new ones through programs with the set-user bit."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            kernel.prctl(_DROP_BOUNDING, capability)
        except OSError:  # the kernel has no more of them, or nothing is held that could be dropped
            break
    kernel.call("capset", struct.pack("=Ii", _CAPABILITIES_VERSION_3, 0), bytes(24))
    kernel.prctl(_NO_NEW_PRIVILEGES, 1)


def die_with_parent() -> None:
    """Let the kernel end this process when its parent ends. Becoming another user undoes it."""
    kernel.prctl(_SET_DEATH_SIGNAL, _KILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none escapes its end."""
    kernel.prctl(_SET_SUBREAPER, 1)
