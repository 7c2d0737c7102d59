"""A folder of somebody else's, looked at once, safely and within bounds.

No link is followed on the way, only regular files are opened, none of them can make the reader wait, and what lies
beyond the bounds is named and not read. So nothing that a student or a machine leaves in a folder ends, hangs or fills
the process that looks.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

_PIECE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """entries: files and folders in all. depth: folders in one another. size: bytes of all files that are read."""

    entries: int
    depth: int
    size: int


HANDED_IN = Bounds(entries=1000, depth=16, size=256 << 20)


class UnsafeError(Exception):
    """A file that is not opened, and why not."""


@dataclass
class Look:
    """What was found. Names are relative to the folder.

    digest: of all names and contents. files: those that were read, with the digest of each. links: links of any kind.
    odd: what is neither file nor folder. left_out: what was not read, with the reason. is_too_large: there are more
    entries than are looked at, so anything may be missing.
    """

    digest: str = ""
    files: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    is_too_large: bool = False


def look(folder: Path, bounds: Bounds = HANDED_IN, trusted: Path | None = None) -> Look:
    """Look at `folder`. trusted: the folder above it from which on no link is followed; its parent by default.

    Errors: UnsafeError where it is no folder that can be looked at.
    """
    found = Look()
    digest = hashlib.sha256()
    with _opened_folder(folder, trusted or folder.parent) as descriptor:
        for line in _Walk(found, bounds).lines(descriptor, "", bounds.depth):
            digest.update(os.fsencode(line) + b"\n")
    found.digest = digest.hexdigest()
    return found


def read(folder: Path, name: str, most: int, trusted: Path | None = None) -> bytes:
    """The content of a regular file directly in `folder`, at most `most` bytes.

    Errors: UnsafeError where it is no such file, or larger.
    """
    with _opened_folder(folder, trusted or folder.parent) as descriptor, _opened_file(name, descriptor) as file:
        content = b"".join(_pieces(file, most + 1))
    if len(content) > most:
        raise UnsafeError(f"{name} is larger than {_amount(most)}")
    return content


class _Walk:
    """One look: what it has found so far, and what is left of its bounds."""

    def __init__(self, found: Look, bounds: Bounds) -> None:
        self._found = found
        self._entries = bounds.entries
        self._size = bounds.size

    def lines(self, folder: int, prefix: str, depth: int) -> Iterator[str]:
        """A line for each entry of an open folder and of those in it."""
        for name in self._names(folder, prefix):
            path = prefix + name
            try:
                mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                yield f"{stat.S_IFMT(mode):o} {path!r}"
                if stat.S_ISDIR(mode):
                    self._found.folders.append(path)
                    yield from self._folder(name, folder, path, depth)
                elif stat.S_ISREG(mode):
                    yield self._file(name, folder, path)
                else:
                    (self._found.links if stat.S_ISLNK(mode) else self._found.odd).append(path)
            except (OSError, UnsafeError) as error:
                yield self._leave_out(path, _reason(error))

    def _names(self, folder: int, prefix: str) -> list[str]:
        names = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if self._entries == 0:
                    self._found.is_too_large = True
                    break
                self._entries -= 1
                names.append(entry.name)
        return sorted(names)

    def _folder(self, name: str, above: int, path: str, depth: int) -> Iterator[str]:
        if depth == 1:
            yield self._leave_out(path, "too many folders in one another")
            return
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
        try:
            yield from self.lines(descriptor, f"{path}/", depth - 1)
        finally:
            os.close(descriptor)

    def _file(self, name: str, folder: int, path: str) -> str:
        with _opened_file(name, folder) as file:
            size = os.fstat(file).st_size
            if size > self._size:
                return self._leave_out(path, f"it is too large ({_amount(size)})")
            self._size -= size
            digest = hashlib.sha256()
            for piece in _pieces(file, size):
                digest.update(piece)
        self._found.files[path] = digest.hexdigest()
        return self._found.files[path]

    def _leave_out(self, path: str, reason: str) -> str:
        self._found.left_out[path] = reason
        return reason


@contextmanager
def _opened_folder(folder: Path, trusted: Path) -> Iterator[int]:
    descriptor = _step(None, str(trusted), follow=True)
    try:
        for part in folder.relative_to(trusted).parts:
            below = _step(descriptor, part, follow=False)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def _step(above: int | None, name: str, follow: bool) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        return os.open(name, flags, dir_fd=above)
    except (OSError, ValueError) as error:
        raise UnsafeError(f"{name} is no folder that can be looked at: {_why_no_folder(error, name, above)}") from None


@contextmanager
def _opened_file(name: str, folder: int) -> Iterator[int]:
    """Without waiting for anybody at the other end of a pipe, and without taking a terminal."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except (OSError, ValueError) as error:
        raise UnsafeError(f"{name} cannot be read: {_reason(error)}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsafeError(f"{name} is no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def _pieces(file: int, most: int) -> Iterator[bytes]:
    """What can be read of an open file, up to `most` bytes: a file may grow while it is read."""
    while most > 0 and (piece := os.read(file, min(_PIECE, most))):
        most -= len(piece)
        yield piece


def _why_no_folder(error: Exception, name: str, above: int | None) -> str:
    """The kernel says of a link that it is no directory, too."""
    with suppress(OSError, ValueError):
        if stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
            return "it is a symbolic link; put the folder itself there"
    return _reason(error)


def _amount(size: int) -> str:
    return f"{size >> 20} MiB" if size >= _PIECE else f"{size} bytes"


def _reason(error: Exception) -> str:
    return (os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)).rstrip(".")
