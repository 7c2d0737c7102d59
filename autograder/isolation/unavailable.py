"""What a submission asked for that is not there while grading: packages, and what the confinement shuts off."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from autograder.isolation.replies import Raised
from autograder.report import Finding
from autograder.scrub import plain_line
from autograder.submission.beside import missed

NOT_AVAILABLE = "not available while grading: other processes, the network, files outside the notebook's folder"
_GIVEN = "the files that came with the notebook are read-only while grading"
_READ_ONLY = re.compile("Read-only file system|Device or resource busy")  # as the kernel says it of them
_NO_MODULE = re.compile(r"No module named '([\w.]{1,100})'")


class Unavailable:
    """Collects it from the errors that the submission's code raised and did not catch.

    unused: as in `Session`.
    """

    def __init__(self, unused: Collection[str]) -> None:
        self._unused = unused
        self._missed: dict[str, None] = {}
        self._packages: dict[str, None] = {}
        self._is_refused = False

    def note(self, raised: Raised) -> None:
        self._is_refused = self._is_refused or raised.refused
        if told := missed(raised.type, raised.message, self._unused, raised.where):
            self._missed[told] = None
        elif package := _missing_package(raised):
            self._packages[package] = None

    @property
    def findings(self) -> Iterator[Finding]:
        yield from (Finding("ignored", told) for told in self._missed)
        for package in self._packages:
            yield Finding("package", f"`{package}` is not installed here")
        if self._is_refused:
            yield Finding("refused", f"it asked for what is {NOT_AVAILABLE}")


def why(raised: Raised, unused: Collection[str]) -> str:
    """What an error comes from, where that is the place where it is graded; unused: as in `Session`."""
    if raised.refused:
        return NOT_AVAILABLE
    if raised.type == "OSError" and _READ_ONLY.search(raised.message):
        return _GIVEN
    return missed(raised.type, raised.message, unused, raised.where)


def _missing_package(raised: Raised) -> str:
    """The package that is not installed, if that is what the error says."""
    found = _NO_MODULE.match(raised.message) if raised.type == "ModuleNotFoundError" else None
    return plain_line(found[1]).split(".")[0] if found else ""
