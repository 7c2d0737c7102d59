"""Landlock: the kernel refuses this process, for good, all files but the named ones, and all TCP.

It also hides nothing: a refused file's name, size and existence can still be seen. See landlock(7) for the rights.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from autograder.inside import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every processor
_WANT_VERSION, _PATH_BENEATH = 1, 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_MAKE_DEVICES = 1 << 6 | 1 << 11
_FIRST_RIGHTS = (1 << 13) - 1
_LATER_RIGHTS = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # by version: refer, truncate, device control
_TRUNCATE, _DEVICE_CONTROL = 1 << 14, 1 << 15
_TCP = 3  # bind, connect: from version 4
_SIGNALS_AND_ABSTRACT_SOCKETS = 3  # from version 6
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE_CONTROL


def version() -> int:
    """Which version of Landlock the kernel has. Errors: OSError where it has none."""
    return kernel.system_call(_CREATE_RULESET, None, 0, _WANT_VERSION)


def restrict(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Keep only these paths, and what lies below them; paths that do not exist are left out."""
    found = version()
    rights = _FIRST_RIGHTS | sum(right for since, right in _LATER_RIGHTS.items() if found >= since)
    ruleset = _create_ruleset(found, rights)
    for path in readable:
        _allow(ruleset, path, rights & (_READ_FILE | _READ_FOLDER | _EXECUTE))
    for path in writable:
        _allow(ruleset, path, rights & ~(_EXECUTE | _DEVICE_CONTROL | _MAKE_DEVICES))
    kernel.system_call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _create_ruleset(found: int, rights: int) -> int:
    network = _TCP if found >= 4 else 0
    scopes = _SIGNALS_AND_ABSTRACT_SOCKETS if found >= 6 else 0
    size = 8 if found < 4 else 16 if found < 6 else 24
    attributes = struct.pack("=QQQ", rights, network, scopes)[:size]
    return kernel.system_call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        rights &= _OF_A_FILE
    kernel.system_call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    os.close(place)
