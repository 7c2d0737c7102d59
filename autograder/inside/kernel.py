"""Calls into the kernel that Python has no function for. Each raises OSError with the kernel's own reason."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_PRCTL_ARGUMENTS = 4


def call(function: str, *arguments: object) -> int:
    """A function of the C library, for example `call("unshare", flags)`. Texts are encoded as file names are."""
    return _checked(function, getattr(_libc, function)(*map(_as_c, arguments)))


def system_call(number: int, *arguments: object) -> int:
    """A system call that the C library has no function for."""
    return _checked(f"system call {number}", _libc.syscall(ctypes.c_long(number), *map(_as_c, arguments)))


def prctl(option: int, *arguments: int) -> int:
    """The process-control call; missing arguments are zero."""
    padded = [*arguments, *[0] * (_PRCTL_ARGUMENTS - len(arguments))]
    return call("prctl", option, *map(ctypes.c_ulong, padded))


def _as_c(argument: object) -> object:
    if isinstance(argument, str):
        return os.fsencode(argument)
    return ctypes.c_ulong(argument) if isinstance(argument, int) else argument


def _checked(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
