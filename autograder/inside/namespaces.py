"""Linux namespaces: own processes, own network, own view of files.

Three steps, each in the process that it is about:

    enter       the launcher leaves the machine's processes, network, IPC and host name
    new_root    the warm parent, its child, sees only the interpreter and its packages, read-only, and a few devices
    private     each student's process gets a process table, a /proc and a small writable folder of its own, and what
                the course has laid out there is read-only (`protect`)

An ordinary user needs a user namespace for this, root does not.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from platform import machine

from autograder.inside import kernel

# Not below /home or /tmp, where an interpreter or its packages may lie.
HOME, CACHE = "/submission", "/submission-cache"

_NEW_MOUNTS, _NEW_HOST_NAME, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_READ_ONLY, _NO_SET_USER, _NO_DEVICES, _NO_EXECUTION = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE, _PRIVATE, _DETACH = 32, 4096, 16384, 1 << 18, 2
_KEPT_FLAGS = {os.ST_NOSUID: _NO_SET_USER, os.ST_NODEV: _NO_DEVICES, os.ST_NOEXEC: _NO_EXECUTION}
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

_DEVICES = ("null", "zero", "random", "urandom")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")


def readable_paths() -> list[str]:
    """What a student's process may read: the interpreter, its packages, the system's libraries; nothing of a course."""
    python = [f"{prefix}/{part}" for prefix in (sys.base_prefix, sys.prefix) for part in ("bin", "lib", "lib64")]
    packages = [path for path in sys.path if path.rstrip("/").endswith(("site-packages", "dist-packages"))]
    wanted = [*_LIBRARIES, *_SYSTEM_FILES, *python, *packages]
    return [path for path in dict.fromkeys(wanted) if os.path.exists(path)]


def enter() -> None:
    """Leave the machine's namespaces. The caller's next child is the first process of the new process table."""
    flags = _NEW_PROCESSES | _NEW_NETWORK | _NEW_IPC | _NEW_HOST_NAME
    user, group = os.getuid(), os.getgid()
    if user == 0:
        kernel.call("unshare", flags)
        return
    kernel.call("unshare", flags | _NEW_USER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def new_root(folder: str, paths: list[str]) -> None:
    """Make `folder` the root of this process, with `paths` and a few devices in it, all read-only."""
    kernel.call("unshare", _NEW_MOUNTS)
    _mount("none", "/", flags=_RECURSIVE | _PRIVATE)
    _mount("root", folder, "tmpfs", _NO_SET_USER | _NO_DEVICES, "size=1m,mode=755")
    for name in ("/proc", "/dev", HOME, CACHE):
        os.mkdir(folder + name, 0o755)
    # Links such as /lib come first: what lies behind them is bound at its real place.
    for path in sorted(paths, key=lambda path: not os.path.islink(path)):
        _show(path, folder)
    for device in _DEVICES:
        _show(f"/dev/{device}", folder, device=True)
    _mount("proc", f"{folder}/proc", "proc", _NO_SET_USER | _NO_DEVICES | _NO_EXECUTION)
    os.mkdir(f"{folder}/.old")
    kernel.system_call(_PIVOT_ROOT[machine()], folder, f"{folder}/.old")
    os.chdir("/")
    kernel.call("umount2", "/.old", _DETACH)
    os.rmdir("/.old")
    _mount("cache", CACHE, "tmpfs", _NO_SET_USER | _NO_DEVICES, "size=16m,mode=755")
    _mount(None, "/", flags=_REMOUNT | _BIND | _READ_ONLY | _NO_SET_USER | _NO_DEVICES)


def new_process_table() -> None:
    """The caller's next child is the first process of a process table of its own."""
    kernel.call("unshare", _NEW_PROCESSES)


def back_to(descriptor: int) -> None:
    """Later children of the caller belong to the process table that `descriptor` stands for again."""
    kernel.call("setns", descriptor, _NEW_PROCESSES)


def private(megabytes: int, user: int) -> None:
    """A /proc that shows this process alone, and a folder of limited size that belongs to `user`."""
    kernel.call("unshare", _NEW_MOUNTS)
    options = f"size={megabytes}m,nr_inodes=4096,mode=700,uid={user},gid={user}"
    _mount("home", HOME, "tmpfs", _NO_SET_USER | _NO_DEVICES, options)
    _mount("proc", "/proc", "proc", _NO_SET_USER | _NO_DEVICES | _NO_EXECUTION)


def protect(path: str) -> None:
    """Let nobody in this view of files write to a file, remove it, or put another one in its place."""
    _mount(path, path, flags=_BIND)
    _mount(None, path, flags=_REMOUNT | _BIND | _READ_ONLY | _NO_SET_USER | _NO_DEVICES)


def _show(path: str, root: str, device: bool = False) -> None:
    place = root + path
    if os.path.lexists(place):
        return  # lies in a folder that is shown already
    os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), place)
        return
    if os.path.isdir(path):
        os.mkdir(place)
    else:
        Path(place).touch()
    _mount(path, place, flags=_BIND | _RECURSIVE)
    if not device:
        _mount(None, place, flags=_REMOUNT | _BIND | _READ_ONLY | _NO_SET_USER | _NO_DEVICES | _locked_flags(place))


def _locked_flags(path: str) -> int:
    """In a user namespace the flags that a mount already has may not be dropped."""
    present = os.statvfs(path).f_flag
    return sum(flag for mark, flag in _KEPT_FLAGS.items() if present & mark)


def _mount(
    source: str | None, target: str, kind: str | None = None, flags: int = 0, options: str | None = None
) -> None:
    kernel.call("mount", source, target, kind, flags, options)
