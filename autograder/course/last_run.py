"""Whether the last run of `grade` would do anything now, told from digests of files: nbgrader, whose imports take
longer than all the rest of such a run, is not loaded.
"""

from __future__ import annotations

import glob
import hashlib
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from jupyter_core.application import JupyterApp
from traitlets.config import Application

from autograder.course.reports import load_report
from autograder.errors import ConfigError
from autograder.report import Outcome
from autograder.store import Store, digest_of, files_in, key_of

_PLACE = "runs", "last"


class _Snapshot(msgspec.Struct, frozen=True):
    """read, written: glob patterns of what the run hung on and of what it left; `digests`, of all of it."""

    students: list[str]
    read: list[str]
    written: list[str]
    digests: list[str]


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
        self._read: list[str] = []
        self._digest_before = ""

    def outcomes(self) -> list[Outcome] | None:
        """Those of that run, if nothing has changed since that could make them others."""
        try:
            run = msgspec.json.decode(self._store.load(*_PLACE, self._key) or b"", type=_Snapshot)
            if not self._settings or run.digests != [_digest(run.read), _digest(run.written)]:
                return None
            return [
                Outcome(student, load_report(self._root, self._exercise, student).without_tests())
                for student in run.students
            ]
        except (OSError, msgspec.DecodeError, ConfigError):
            return None

    def begin(self, read: Sequence[str]) -> None:
        """A run is about to start. read: patterns of what it hangs on; what changes meanwhile is new to the next."""
        self._store.forget(*_PLACE)
        self._read = [*read]
        with suppress(OSError):  # a file that is written just now; `complete` will not vouch for it
            self._digest_before = _digest(self._read)

    def complete(self, students: Sequence[str], written: Sequence[str]) -> None:
        """It has ended, and nobody waits. written: patterns of what it has left."""
        found = all(map(glob.glob, [*self._read, *written]))
        if self._settings and self._digest_before and found:  # what cannot be read cannot be compared
            with suppress(OSError):
                run = _Snapshot([*students], self._read, [*written], [self._digest_before, _digest(written)])
                self._store.save(*_PLACE, self._key, msgspec.json.encode(run))


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
    return json.dumps(app.config, sort_keys=True, default=str)


class _Settings(JupyterApp):
    name = "nbgrader"
    config_file_name = "nbgrader_config"


def _digest(patterns: Sequence[str]) -> str:
    """Of all that the patterns match, empty folders too."""
    paths = sorted({path for pattern in patterns for path in glob.glob(pattern)})
    files = digest_of((file for path in paths for file in files_in(Path(path))), Path("/"))
    return hashlib.sha256(repr([paths, files]).encode()).hexdigest()
