"""The course's own files in the working folder of a student's process: laid out before it is shut in, read-only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

_PAGE = 1 << 12  # a file takes whole ones


@dataclass(frozen=True)
class WorkingFiles:
    """sizes: bytes of each, by name. contents: a descriptor of a file that has them one behind the other."""

    sizes: Mapping[str, int]
    contents: int

    @property
    def megabytes(self) -> int:
        """The room that they take."""
        return -(-sum(-(-size // _PAGE) * _PAGE for size in self.sizes.values()) >> 20)

    def lay_out(self, folder: str) -> list[str]:
        """Write them into `folder`; their paths. Errors: OSError."""
        paths, start = [], 0
        for name, size in self.sizes.items():
            paths.append(os.path.join(folder, name))
            self._write(paths[-1], start, start + size)
            start += size
        return paths

    def _write(self, path: str, start: int, end: int) -> None:
        with open(path, "xb") as file:
            while start < end:
                start += os.sendfile(file.fileno(), self.contents, start, end - start) or _cut_off(path)
        os.chmod(path, 0o444)


def _cut_off(path: str) -> int:
    raise OSError(f"{path} is cut off")
