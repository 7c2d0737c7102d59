"""What is kept between runs, in `.autograder/<exercise>/` of the course folder. Deleting it costs time, nothing else.

Each shelf (a folder) has one file for a name, such as a student:

    autograder store 1     the format
    <key>                  a digest of all that the content depends on
    content, zlib

What was kept under another key is not found, and new content takes the place of old. So nothing piles up, and no key
needs a way to say what it is no longer good for.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

from autograder import layout
from autograder.errors import ConfigError

_FORMAT = b"autograder store 1"
_LARGEST = 1 << 30  # bytes of one content: a file that unpacks to more is not one of ours
_DECIDING = (
    "autograder",
    # the student's process, and what its values and figures look like
    "numpy",
    "torch",
    "ipython",
    "matplotlib",
    "matplotlib-inline",
    "contourpy",
    "kiwisolver",
    "pillow",
    # the suite, the report and the graded notebook
    "pytest",
    "msgspec",
    "jinja2",
    "markupsafe",
    "markdown-it-py",
    "mdit-py-plugins",
    "nbformat",
    "nbconvert",
    "nbgrader",
    "python-dateutil",
)


class Store:
    """The store of one exercise, or of an assignment. root: the course folder."""

    def __init__(self, root: Path, exercise: str) -> None:
        self._exercise = exercise
        self._folder = root / ".autograder" / exercise.replace("/", "+")  # no assignment's name has it

    def load(self, shelf: str, name: str, key: str) -> bytes | None:
        """What is kept for a name, if it was kept under this key and can be read."""
        try:
            kept = self._file(shelf, name).read_bytes()
        except OSError:
            return None
        head = _head(key)
        return _unpacked(kept[len(head) :]) if kept.startswith(head) else None

    def save(self, shelf: str, name: str, key: str, content: bytes) -> None:
        """Keep `content` in the place of what is there. Errors: OSError."""
        write_whole(self._file(shelf, name), _head(key) + zlib.compress(content, 1))

    def forget(self, shelf: str, name: str) -> None:
        self._file(shelf, name).unlink(missing_ok=True)

    def keep_only(self, shelf: str, names: Collection[str]) -> None:
        """Remove what is kept for other names, as of students who have left. Errors: OSError."""
        wanted = {self._file(shelf, name) for name in names}
        for file in (self._folder / shelf).glob("*"):
            if file not in wanted:
                file.unlink()

    @contextmanager
    def one_run(self) -> Iterator[None]:
        """Errors: ConfigError while another run over the exercise is going on in the course, or nothing can be kept."""
        lock = self._folder / "lock"
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            opened = lock.open("w")
        except OSError as error:
            raise ConfigError(f"the course folder cannot be written to: {error}") from None
        with opened as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConfigError(
                    f"another run over {self._exercise} is going on in this course; wait until it ends"
                ) from None
            yield

    def _file(self, shelf: str, name: str) -> Path:
        """A student's name may hold any character, and as many as a file's name holds."""
        return self._folder / shelf / _digest(os.fsencode(name))[:32]


def key_of(*parts: object) -> str:
    """A digest of the parts, which need a `repr` of their own, and of the versions that a report may hang on."""
    return _digest(repr([*parts, *_versions()]).encode("utf-8", "surrogateescape"))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, its folder too: whole or not at all, wherever the grader is killed. Errors: OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


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
        digest.update(f"{name!r}{_digest(content)}".encode())
    return digest.hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _head(key: str) -> bytes:
    return b"%s\n%s\n" % (_FORMAT, key.encode())


def _unpacked(packed: bytes) -> bytes | None:
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, _LARGEST)
    except zlib.error:
        return None
    return content if unpacking.eof else None


@cache
def _versions() -> list[str]:
    """Of Python, of the packages that a report may hang on, and of this package's own files."""
    return [sys.version, *map(version, _DECIDING), SOURCES]


# The package may change under the same version: in a clone. As it was loaded, or nearly so.
SOURCES = digest_of([*layout.modules(), layout.FEEDBACK_TEMPLATE], layout.PACKAGE)
