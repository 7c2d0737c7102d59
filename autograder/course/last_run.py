"""Whether the last run of `grade` would do anything now, told from digests of files: nbgrader, whose imports take
longer than all the rest of such a run, is not loaded.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from jupyter_core.application import JupyterApp
from traitlets.config import Application, Config, LazyConfigValue

from autograder.course.reports import load_report
from autograder.errors import ConfigError
from autograder.exercise.packages import versions_of
from autograder.report import Outcome
from autograder.standing import Standing
from autograder.store import Store, digest_of, files_in, key_of
from autograder.tree import UnsafeError, look

_PLACE = "runs", "last"


class Left(msgspec.Struct, frozen=True):
    """A student who has been graded and whose folder is gone. version: of the exercise, by which that was."""

    student: str
    standing: Standing
    version: str
    is_current: bool

    @property
    def said(self) -> str:
        """What stands, and why."""
        by = "this version" if self.is_current else f"the older version {self.version}"
        stands = f"{self.standing.earned:g} of {self.standing.counted:g} points stand, by {by} of the exercise"
        waiting = ", ".join(self.standing.unscored)
        return f"handed in nothing now: {stands}" + (f"; no score any more: {waiting}" if waiting else "")


@dataclass(frozen=True)
class Graded:
    """What a run came to. Of a run over a whole class, absent: how many students have handed in nothing; left: those of
    them who have been graded.
    """

    outcomes: list[Outcome]
    absent: int = 0
    left: list[Left] = field(default_factory=list)

    @property
    def waiting(self) -> list[str]:
        """The students of whom something is not graded or not recorded."""
        return [one.student for one in self.outcomes if one.needs_a_person] + [
            one.student for one in self.left if one.standing.is_ungraded
        ]


class _Snapshot(msgspec.Struct, frozen=True):
    """What the run hung on and what it left; `digests`, of all of it. read, written: glob patterns of files of ours.

    submissions, submitted: the folder of all students, and a pattern of theirs in it. packages: of the exercise, with
    their versions.
    """

    students: dict[str, Standing | None]
    read: list[str]
    written: list[str]
    submissions: str
    submitted: str
    digests: list[str]
    packages: dict[str, str] = {}
    absent: int = 0
    left: list[Left] = []

    def digests_now(self) -> list[str]:
        """Errors: OSError, UnsafeError where something cannot be read, and so not compared."""
        return [_digest(self.read), _digest(self.written), _digest_of_submitted(self.submissions, self.submitted)]


class LastRun:
    """The last run over an exercise that left nobody waiting. asked: what the command was told.

    Where a file is read by the course's settings themselves, only the settings that come out are compared.
    """

    def __init__(self, root: Path, exercise: str, asked: Sequence[object]) -> None:
        self._root = root
        self._exercise = exercise
        self._store = Store(root, exercise)
        self._settings = _settings(root)
        self._key = key_of(*asked, self._settings)
        self._before: _Snapshot | None = None

    def graded(self) -> Graded | None:
        """What that run came to, if nothing has changed since that could make it another."""
        try:
            run = msgspec.json.decode(self._store.load(*_PLACE, self._key) or b"", type=_Snapshot)
            is_same = run.packages == versions_of(run.packages) and run.digests == run.digests_now()
            if not (self._settings and is_same):
                return None
            outcomes = [
                Outcome(student, load_report(self._root, self._exercise, student).without_tests(), standing=standing)
                for student, standing in run.students.items()
            ]
            return Graded(outcomes, run.absent, run.left)
        except (OSError, UnsafeError, msgspec.DecodeError, ConfigError):
            return None

    def begin(self, read: Sequence[str], submissions: Path, submitted: str, packages: Collection[str] = ()) -> None:
        """A run is about to start over what these name (as in `_Snapshot`); later changes are new to the next."""
        self._store.forget(*_PLACE)
        before = _Snapshot({}, [*read], [], str(submissions), submitted, [], versions_of(packages))
        with suppress(OSError, UnsafeError):  # a file that is written just now; `complete` will not vouch for it
            self._before = msgspec.structs.replace(before, digests=before.digests_now())

    def complete(self, graded: Graded, written: Sequence[str]) -> None:
        """It has ended, and nobody waits. written: patterns of what it has left."""
        before = self._before
        if self._settings and before and any(map(glob.glob, before.read)) and all(map(glob.glob, written)):
            with suppress(OSError, UnsafeError):
                students = {one.student: one.standing for one in graded.outcomes}
                read, _, submitted = before.digests
                after = msgspec.structs.replace(
                    before,
                    students=students,
                    written=[*written],
                    absent=graded.absent,
                    left=graded.left,
                    digests=[read, _digest(written), submitted],
                )
                self._store.save(*_PLACE, self._key, msgspec.json.encode(after))


def _settings(root: Path) -> str:
    """All that the configuration files say which nbgrader reads: the user's, the machine's and the course's.

    Nothing where they cannot be read; the run will tell why.
    """
    app = _Settings(raise_config_file_errors=True)
    path = [*sys.path]
    sys.path.insert(0, str(root))  # as nbgrader does
    try:
        app.initialize([])
        Application.load_config_file(app, "nbgrader_config.py", path=str(root))
    except (Exception, SystemExit):
        return ""
    finally:
        sys.path[:] = path
    return as_text(app.config)


def as_text(config: Config) -> str:
    """A configuration as a text that is the same for the same settings, in every process and at any time."""
    return json.dumps(config, sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    """A value that is added to a default says something else once it was looked at; a set has no order."""
    if isinstance(value, LazyConfigValue):
        return value.to_dict()
    return sorted(map(str, value)) if isinstance(value, set) else str(value)


class _Settings(JupyterApp):
    name = "nbgrader"
    config_file_name = "nbgrader_config"


def _digest(patterns: Sequence[str]) -> str:
    """Of all that the patterns match, empty folders too."""
    paths = sorted({path for pattern in patterns for path in glob.glob(pattern)})
    files = digest_of((file for path in paths for file in files_in(Path(path))), Path("/"))
    return hashlib.sha256(repr([paths, files]).encode()).hexdigest()


def _digest_of_submitted(submissions: str, pattern: str) -> str:
    """Of what all students have handed in, as far as a run looks at it; what it does not look at is not vouched for.

    And of the students' names: who has a folder and nothing in it is counted.
    """
    digests = [(name, "") for name in sorted(os.listdir(submissions)) if not name.startswith(".")]
    for path in sorted(glob.glob(pattern, root_dir=submissions)):
        found = look(Path(submissions, path), trusted=Path(submissions))
        if found.left_out or found.is_too_large:
            raise UnsafeError(f"{path} has more than is looked at")
        digests.append((path, found.digest))
    return hashlib.sha256(repr(digests).encode("utf-8", "surrogateescape")).hexdigest()
