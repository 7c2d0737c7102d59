"""A student's place in `submitted/`: what lies there, what of it a collect has laid there, and how something newer
takes its place.

The digests of what was laid there are kept; where they are gone, everything counts as put there by a person.
Nothing that a person has put there is deleted: it is moved to `set-aside/<student>/<exercise>-1/` of the course folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from autograder.course.course import Course
from autograder.store import Store, write_whole
from autograder.submission.timestamp import TIMESTAMP, timestamp_in
from autograder.tree import HANDED_IN, Look, UnsafeError, look

_SHELF = "collected"


class Place:
    """As it was when it was looked at first."""

    def __init__(self, course: Course, slug: str, student: str) -> None:
        """Errors: UnsafeError where a link leads there, or something that is no folder lies there."""
        self._folder = course.submitted(student, slug)
        self._course, self._student, self._slug = course, student, slug
        self._store = Store(course.root, slug)
        _refuse_links(self._folder, course.submissions)
        self._found = look(self._folder, HANDED_IN, course.submissions) if os.path.lexists(self._folder) else None
        self._laid: dict[str, str] = json.loads(self._store.load(_SHELF, student, "") or b"{}")

    @property
    def timestamp_laid(self) -> bool:
        """Whether its `timestamp.txt`, or that there is none, is as a collect has left it."""
        can_be_read = TIMESTAMP in self._files
        return can_be_read == self.has_timestamp and self._files.get(TIMESTAMP) == self._laid.get(TIMESTAMP)

    @property
    def has_timestamp(self) -> bool:
        return os.path.lexists(self._folder / TIMESTAMP)

    @property
    def moment(self) -> datetime | None:
        """When that was handed in which lies there, in UTC, if it says so in a way that can be read."""
        with suppress(UnsafeError, ValueError):
            moment = timestamp_in(self._folder, self._course.submissions, self._course.timezone)
            return moment.replace(tzinfo=UTC) if moment else None
        return None

    def holds(self, digests: Mapping[str, str]) -> bool:
        """Whether just these files were laid there, whatever a person has made of them since; where nothing is known
        of that, whether they lie there.
        """
        laid = {name: digest for name, digest in self._laid.items() if name != TIMESTAMP}
        is_same = laid == digests if laid else digests.items() <= self._files.items()
        return self._found is not None and is_same

    def keep_in_mind(self, digests: Mapping[str, str]) -> None:
        """What a collect has laid there. Errors: OSError."""
        self._store.save(_SHELF, self._student, "", json.dumps(dict(digests)).encode())

    def write_timestamp(self, content: bytes) -> None:
        """Errors: OSError."""
        write_whole(self._folder / TIMESTAMP, content)
        self.keep_in_mind({**self._laid, TIMESTAMP: digest_of(content)})

    @contextmanager
    def replaced(self) -> Iterator[tuple[Path, Path | None]]:
        """A new folder, which takes the place of the old one if nothing goes wrong inside; and where that goes which
        lies there, if it is not of a collect alone. Errors: OSError.
        """
        new, old = (self._folder.with_name(f".{self._folder.name}.{which}") for which in ("new", "old"))
        aside = self._free_place_aside() if self._found and not self._is_of_a_collect(self._found) else None
        for folder in (new, old):
            shutil.rmtree(folder, ignore_errors=True)
        new.mkdir(parents=True)
        try:
            yield new, aside
            if aside:
                aside.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(self._folder, aside)
            elif self._found:
                os.rename(self._folder, old)
            os.rename(new, self._folder)
        finally:
            for folder in (new, old):
                shutil.rmtree(folder, ignore_errors=True)

    @property
    def _files(self) -> Mapping[str, str]:
        return self._found.files if self._found else {}

    def _is_of_a_collect(self, found: Look) -> bool:
        is_whole = not (found.links or found.odd or found.left_out or found.is_too_large)
        return is_whole and found.files.items() <= self._laid.items()

    def _free_place_aside(self) -> Path:
        places = (self._course.root / "set-aside" / self._student / f"{self._slug}-{number}" for number in count(1))
        return next(place for place in places if not os.path.lexists(place))


def digest_of(content: bytes) -> str:
    """As `Look.files` has it."""
    return hashlib.sha256(content).hexdigest()


def _refuse_links(folder: Path, trusted: Path) -> None:
    """Nothing is written where a link leads."""
    for one in (*reversed(folder.parents), folder):
        if one.is_relative_to(trusted) and one != trusted and one.is_symlink():
            raise UnsafeError(f"{one} is a symbolic link; put the folder itself there")
