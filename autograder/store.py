"""`.autograder/<exercise>/` in the course folder: what is kept between runs. Deleting it costs time, nothing else."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

from autograder import layout
from autograder.errors import ConfigError

_DECIDING = ("autograder", "numpy", "torch", "ipython", "matplotlib")


def memory_folder(root: Path) -> Path:
    """Where a course keeps it."""
    return root / ".autograder"


@cache
def versions() -> list[str]:
    """Of Python, of the packages that a report may hang on, and of this package's own files."""
    return [sys.version, *map(version, _DECIDING), SOURCES]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, its folder too: whole or not at all, wherever the grader is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@contextmanager
def one_run(root: Path, exercise: str) -> Iterator[None]:
    """Errors: ConfigError while another run over the exercise is going on in the same course."""
    lock = memory_folder(root) / exercise / "lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another run over {exercise} is going on in this course; wait until it ends") from None
        yield


def files_in(path: Path) -> list[Path]:
    """Every file below a folder, and every link; of a file, itself."""
    below = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [one for one in below if one.is_file() or one.is_symlink()]


def digest_of(files: Iterable[Path], seen_from: Path) -> str:
    """Of the names and the contents of files; of a link, of where it leads."""
    digest = hashlib.sha256()
    for file in files:
        content = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
        name = os.fsencode(os.path.relpath(file, seen_from))
        digest.update(f"{name!r}{hashlib.sha256(content).hexdigest()}".encode())
    return digest.hexdigest()


# The package may change under the same version: in a clone. As it was loaded, or nearly so.
SOURCES = digest_of([*layout.modules(), layout.FEEDBACK_TEMPLATE], layout.PACKAGE)
