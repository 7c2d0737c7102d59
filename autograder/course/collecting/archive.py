"""A zip of somebody else's, read within bounds and never unpacked as it says.

Names that would lead out of a folder, links, encrypted files and what two entries claim to be are left out and named.
What a file says of its size is what is read of it at most, and all together may be no more than a bound.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from autograder.errors import ConfigError
from autograder.scrub import plain_line
from autograder.submission.handed_in import is_one_name
from autograder.tree import HANDED_IN, UnsafeError

ENTRIES = 200_000
TOTAL = 16 << 30  # bytes of all files together
_LEFT_BY_SYSTEMS = ("__MACOSX", ".DS_Store")
_ENCRYPTED = 0x1
_LONGEST = 255  # bytes of a file's name


@dataclass(frozen=True)
class Packed:
    """A file in it. size: in bytes, at most."""

    path: tuple[str, ...]
    size: int

    @property
    def name(self) -> str:
        return "/".join(self.path)


class Archive:
    """files: those that can be read. left_out: the names of others, with the reason. Use `opened`."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._infos: dict[tuple[str, ...], zipfile.ZipInfo] = {}
        self.left_out: dict[str, str] = {}
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if len(infos) > ENTRIES or sum(info.file_size for info in infos) > TOTAL:
            raise ConfigError(
                f"the archive has more than {ENTRIES} files or {TOTAL >> 30} GiB; download it in several parts"
            )
        named = Counter(_parts(info) for info in infos)
        for info in infos:
            path = _parts(info)
            if set(path) & set(_LEFT_BY_SYSTEMS):
                continue
            if reason := _fault(info, path) or ("it is there twice" if named[path] > 1 else ""):
                self.left_out[plain_line(info.filename)[:200]] = reason
            else:
                self._infos[path] = info

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Self]:
        """Errors: ConfigError where it is no zip, or one beyond the bounds."""
        try:
            archive = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            way_on = "; it may be cut off: download it again" if _begins_as_a_zip(path) else ""
            raise ConfigError(f"{path} cannot be read as a zip: {reason}{way_on}") from None
        with archive:
            yield cls(archive)

    @property
    def files(self) -> list[Packed]:
        """By their names, sorted."""
        return [Packed(path, info.file_size) for path, info in sorted(self._infos.items())]

    def read(self, file: Packed) -> bytes:
        """Errors: UnsafeError where it is damaged."""
        try:
            with self._archive.open(self._infos[file.path]) as opened:
                return opened.read(file.size)
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
            raise UnsafeError(f"{plain_line(file.name)[:200]} cannot be read: {plain_line(str(error))}") from None


def _begins_as_a_zip(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) == b"PK"
    except OSError:
        return False


def _parts(info: zipfile.ZipInfo) -> tuple[str, ...]:
    return tuple(info.filename.split("/"))


def _fault(info: zipfile.ZipInfo, path: tuple[str, ...]) -> str:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "it is a link or something else that is no file"
    if not all(map(is_one_name, path)) or set(info.orig_filename) & set("\\\0\n\t"):
        return "its name would lead out of the folder"
    if (
        plain_line(info.filename) != " ".join(info.filename.split())
        or max(len(part.encode()) for part in path) > _LONGEST
    ):
        return "its name is too long, or has characters that cannot be seen"
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if len(path) > HANDED_IN.depth or info.file_size > HANDED_IN.size:
        return f"it is larger than {HANDED_IN.size >> 20} MiB, or lies in too many folders"
    return ""
