"""A control group: a limit on the memory and the number of threads of all processes in it together.

The warm parent enters it once; what it forks inherits it, which costs nothing. One student's process lives at a time,
so the limit is the parent's own use and that process's share. That is wider than the limit of `limits` on address
space, which an honest process so meets first, each time: as Python's MemoryError. This one ends what has found a way
around it. Version 2 of the interface where it is mounted, else version 1.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_OWN_THREADS = 8
_MIB = 1 << 20


def parents() -> list[Path]:
    """Where groups are made: one place in version 2, one for memory and one for threads in version 1."""
    return [_ROOT] if (_ROOT / "cgroup.controllers").exists() else [_ROOT / "memory", _ROOT / "pids"]


class ControlGroup:
    """A new group. Errors: OSError where this user may not make one."""

    def __init__(self, name: str) -> None:
        self._folders = [parent / name for parent in parents()]
        unified = len(self._folders) == 1
        self._files: dict[str, int] = {}
        for folder in self._folders:
            folder.mkdir()
        try:
            self._open("memory.max" if unified else "memory.limit_in_bytes", self._folders[0], "limit")
            self._open("memory.current" if unified else "memory.usage_in_bytes", self._folders[0], "use")
            self._open("memory.events" if unified else "memory.oom_control", self._folders[0], "kills")
            self._open("pids.max", self._folders[-1], "threads")
        except OSError:
            self.remove()
            raise

    def enter(self) -> None:
        """Move this process into the group."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def limit(self, megabytes: int, threads: int) -> None:
        """Allow what is in use now and `megabytes` more. Works where the files are out of sight, too."""
        use = int(os.pread(self._files["use"], 64, 0))
        os.pwrite(self._files["limit"], str(use + megabytes * _MIB).encode(), 0)
        os.pwrite(self._files["threads"], str(threads + _OWN_THREADS).encode(), 0)

    def kills(self) -> int:
        """How many processes the kernel has ended for the group's want of memory."""
        counts = dict(line.split() for line in os.pread(self._files["kills"], 4096, 0).decode().splitlines())
        return int(counts["oom_kill"])

    def remove(self) -> None:
        """Remove the empty group."""
        for file in self._files.values():
            os.close(file)
        for folder in self._folders:
            with contextlib.suppress(FileNotFoundError):
                folder.rmdir()

    def _open(self, name: str, folder: Path, key: str) -> None:
        flags = os.O_RDONLY if key in ("use", "kills") else os.O_RDWR
        self._files[key] = os.open(folder / name, flags | os.O_CLOEXEC)
