"""Whether the last run of `grade` would do anything now, told from digests of files: nbgrader, whose imports take
longer than all the rest of such a run, is not loaded.

`.autograder/<exercise>/last-run` holds the digests.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from jupyter_core.application import JupyterApp
from traitlets.config import Application

from autograder.errors import ConfigError
from autograder.memory import memory_folder, versions, write_whole
from autograder.report import Outcome
from autograder.reports import load_report


class _Run(msgspec.Struct, frozen=True):
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
        self._asked = [*asked, *versions()]
        self._file = memory_folder(root) / exercise / "last-run"
        self._read: list[str] = []
        self._digest_before = ""

    def outcomes(self) -> list[Outcome] | None:
        """Those of that run, if nothing has changed since that could make them others."""
        try:
            run = msgspec.json.decode(self._file.read_bytes(), type=_Run)
            if run.digests != [self._digest(run.read), _digest(run.written)]:
                return None
            return [Outcome(student, load_report(self._root, self._exercise, student)) for student in run.students]
        except (OSError, msgspec.DecodeError, ConfigError):
            return None

    def begin(self, read: Iterable[Path]) -> None:
        """A run is about to start. read: patterns of what it hangs on; what changes meanwhile is new to the next."""
        self._file.unlink(missing_ok=True)
        self._read = [*map(str, read)]
        self._digest_before = self._digest(self._read)

    def complete(self, students: Sequence[str], written: Iterable[Path]) -> None:
        """It has ended, and nobody waits. written: patterns of what it has left."""
        patterns = [*map(str, written)]
        run = _Run([*students], self._read, patterns, [self._digest_before, _digest(patterns)])
        write_whole(self._file, msgspec.json.encode(run))

    def _digest(self, read: Sequence[str]) -> str:
        return _digest(read, repr([self._asked, _settings(self._root)]))


def _settings(root: Path) -> str:
    """All that the configuration files say which nbgrader reads: the user's, the machine's and the course's."""
    app = _Settings(raise_config_file_errors=True)
    try:
        app.initialize([])
        Application.load_config_file(app, "nbgrader_config.py", path=str(root))
    except (Exception, SystemExit) as error:
        raise ConfigError(f"the configuration cannot be read: {error}") from None
    return json.dumps(app.config, sort_keys=True, default=str)


class _Settings(JupyterApp):
    name = "nbgrader"
    config_file_name = "nbgrader_config"


def _digest(patterns: Sequence[str], start: str = "") -> str:
    digest = hashlib.sha256(start.encode())
    for path in sorted({path for pattern in patterns for path in glob.glob(pattern)}):
        digest.update(os.fsencode(f"{path}\0"))
        for file in _files(Path(path)):
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            digest.update(os.fsencode(f"{file}\0{content}\0"))
    return digest.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    yield from [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
