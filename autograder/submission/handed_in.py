"""What a student has handed in: the folder, looked at once. All else takes it from here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path, PurePath

from autograder.report import Finding
from autograder.scrub import plain_line
from autograder.submission.timestamp import TIMESTAMP, timestamp_in
from autograder.tree import HANDED_IN, Look, UnsafeError, look, read

MAX_BYTES = 64 << 20  # of a notebook
_LONGEST_NAME = 200  # bytes: a report's file is called after the student
_MOST_TOLD = 5  # files that were not looked at
_PACKED = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar")
_PATTERN = "[]*?{}"  # nbgrader takes a student's name for a pattern


@dataclass(frozen=True)
class Contents:
    """What is graded of a submission: its notebooks by their right names, and files that are used with them.

    beside: as in `HandedIn`.
    """

    notebooks: Mapping[str, bytes]
    files: Mapping[str, bytes] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HandedIn:
    """A submission's folder. refused: why it is not graded, in words that say what to do; then nothing else counts.

    digest: of all that the folder holds. notebooks: the names of the files to grade, by their right names. moment: when
    it was handed in, in UTC, if it says so. files: all that were looked at, by their names seen from the folder, with a
    digest of each. beside: the same without the notebooks, and with an empty digest for what was not looked at.
    """

    folder: Path
    trusted: Path
    digest: str = ""
    notebooks: Mapping[str, str] = field(default_factory=dict)
    moment: datetime | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    refused: str = ""

    def contents(self, files: Iterable[str] = ()) -> Contents:
        """The notebooks, and these of the files. Errors: UnsafeError where one cannot be had any more."""
        notebooks = {name: self._read(file, MAX_BYTES) for name, file in self.notebooks.items()}
        return Contents(notebooks, {name: self._read(name, HANDED_IN.size) for name in files}, self.beside)

    def _read(self, name: str, most: int) -> bytes:
        path = PurePath(name)
        return read(self.folder / path.parent, path.name, most, self.trusted)


def laid_beside(files: Iterable[str], ignored: Iterable[str], own: Collection[str]) -> list[str]:
    """Those of a student's files that lie beside the notebooks where these are graded.

    ignored: patterns of names of files and folders. own: the course's files, which no other stands in the way of.
    """
    patterns = (*ignored, "*.ipynb")
    taken = {*own}.union(*map(_folders, own))
    return [
        name
        for name in files
        if not any(fnmatch(part, one) for part in PurePath(name).parts for one in patterns)
        if name not in taken and _folders(name).isdisjoint(own)
    ]


def _folders(name: str) -> set[str]:
    return {str(folder) for folder in PurePath(name).parents}


def handed_in(folder: Path, trusted: Path, notebooks: Sequence[str], timezone: str = "UTC") -> HandedIn:
    """Look at a student's folder for an assignment. It never raises for what a student can leave there.

    notebooks: their right names, of which one at least must be there.
    trusted: the folder above it that is the course's own. timezone: as in `read_timestamp`.
    """
    try:
        found = look(folder, HANDED_IN, trusted)
        if reason := _why_not(found):
            return HandedIn(folder, trusted, refused=reason)
        graded, findings = _notebooks(found, notebooks)
        moment = _moment(folder, trusted, found, timezone)
    except (UnsafeError, OSError, ValueError) as error:
        return HandedIn(folder, trusted, refused=plain_line(str(error)))
    left_out = tuple(
        Finding("ignored", f"{plain_line(name)[:200]} was not looked at: {why}") for name, why in found.left_out.items()
    )
    if not graded:
        return HandedIn(folder, trusted, refused=findings[0].message)
    told = (*findings, *left_out[:_MOST_TOLD])
    taken = {name.lower() for name in graded.values()}
    beside = {name: digest for name, digest in found.files.items() if name.lower() not in taken}
    beside |= dict.fromkeys(found.left_out, "")
    return HandedIn(folder, trusted, found.digest, graded, moment, found.files, beside, told)


def is_one_name(student: str) -> bool:
    """Whether a student's name is that of one folder: any other would lead to folders that are not the student's."""
    return student not in ("", ".", "..") and not set(student) & set("/\0")


def name_fault(student: str) -> str:
    """Why nothing can be graded under a student's name, if so."""
    if not is_one_name(student):
        return f"a student's name is that of one folder, and {plain_line(student)!r} is none; rename it"
    try:
        length = len(student.encode())
    except UnicodeEncodeError:
        return "the name of the folder is no text in UTF-8; rename it"
    if set(student) & set(_PATTERN):
        return f"nbgrader cannot hold a student's name with {' '.join(_PATTERN)}; rename the folder"
    if plain_line(student) != student:
        return "the name of the folder has characters that cannot be seen, or spaces at its end; rename it"
    return f"the name of the folder is longer than {_LONGEST_NAME} bytes; rename it" if length > _LONGEST_NAME else ""


def _why_not(found: Look) -> str:
    if found.is_too_large:
        return f"there are more than {HANDED_IN.entries} files and folders; remove what the notebook does not need"
    if found.links:
        return f"there is a symbolic link among the files, {plain_line(found.links[0])[:200]}; remove it"
    if found.odd:
        return f"{plain_line(found.odd[0])[:200]} is neither a file nor a folder; remove it"
    return ""


def _notebooks(found: Look, names: Sequence[str]) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """The files to grade: those of the right names. Of a single notebook it may be the only one there is."""
    if len(names) == 1:
        notebook, findings = _notebook(found, names[0])
        return ({names[0]: notebook} if notebook else {}), findings
    files = {name: f"{name}.ipynb" for name in names}
    there = {name: file for name, file in files.items() if file in found.files}
    if left_out := [name for name, file in files.items() if file in found.left_out]:
        return {}, _notebook(found, left_out[0])[1]
    if not there:
        return {}, (Finding("missing", f"none of {', '.join(files.values())} was handed in{_hint(found)}"),)
    return there, ()


def _notebook(found: Look, name: str) -> tuple[str, tuple[Finding, ...]]:
    """The notebook to grade: the one of the right name, else the only one there is."""
    expected = f"{name}.ipynb"
    top = [name for name in (*found.files, *found.left_out) if "/" not in name]
    others = sorted(name for name in top if name.lower().endswith(".ipynb") and not name.startswith("."))
    if expected in found.files:
        twins = [name for name in others if name != expected and name.lower() == expected.lower()]
        return expected, tuple(
            Finding("ignored", f"{name} was not graded: {expected} is the right name") for name in twins[:_MOST_TOLD]
        )
    if expected in found.left_out:
        return "", (Finding("unreadable", f"{expected} cannot be graded: {found.left_out[expected]}"),)
    readable = [name for name in others if name in found.files]
    if len(others) == 1 and readable:
        told = f"the file is called {plain_line(others[0])}, not {expected}"
        return others[0], (Finding("renamed", told),)
    if others:
        names = ", ".join(plain_line(name) for name in others)
        return "", (Finding("missing", f"no {expected}, and which of {names} is meant cannot be told"),)
    return "", (Finding("missing", f"no {expected} was handed in{_hint(found)}"),)


def _hint(found: Look) -> str:
    seen = [name for name in found.files if not PurePath(name).name.startswith(".")]
    notebooks = [name for name in seen if ".ipynb" in name.lower()]
    packed = [name for name in seen if name.lower().endswith(_PACKED)]
    meant = [*notebooks, *packed][:1]
    return f"; there is {plain_line(meant[0])[:200]}: unpack, rename or move it" if meant else ""


def _moment(folder: Path, trusted: Path, found: Look, timezone: str) -> datetime | None:
    if not {TIMESTAMP} & {*found.files, *found.left_out, *found.folders}:
        return None
    try:
        return timestamp_in(folder, trusted, timezone)
    except (UnsafeError, ValueError) as error:
        told = str(error).removeprefix(f"{TIMESTAMP} ")
        raise ValueError(f"{TIMESTAMP}: {told}; or delete the file") from None
