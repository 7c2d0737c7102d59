"""Who handed in what, as the names in a download of Canvas, Moodle or Gradescope say.

    Canvas        `doejane_LATE_12345_67890_name-1.ipynb`: name, late or not, the user's number, the file's
                  `doejane_LATE_12345_text.html`, `doejane_12345_link.html`: what was typed in
    Moodle        `Jane Doe_12345_assignsubmission_file_/name.ipynb`, or without folders
                  `Jane Doe_12345_assignsubmission_onlinetext_/onlinetext.html`: what was typed in
    Gradescope    `assignment_1_export/submission_2/name.ipynb`, and who it is in `submission_metadata.yml`

The times in a zip of Canvas or Moodle are those of the download, so only Gradescope says when something was handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from autograder.course.collecting.archive import Archive, Packed
from autograder.course.collecting.roster import Clues
from autograder.errors import ConfigError
from autograder.tree import UnsafeError

_CANVAS = re.compile(
    r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_((?P<file>\d+)_(?P<rest>.+)|(?P<typed>text|link)\.html)"
)
_MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(?P<kind>file|onlinetext)_?(?P<rest>.*)")
_METADATA = "submission_metadata.yml"
_AGAIN = re.compile(r"-\d+(?=\.[^.]+$)")  # Canvas counts files of one name


@dataclass
class HandIn:
    """One person's, or that of several together. place: where it lies in the download. files: by the names that they
    have in a submission's folder; none where a text or a link was typed in. moment: when it was handed in, in UTC, if
    the download says so.
    """

    place: str
    people: list[Clues]
    files: dict[str, Packed] = field(default_factory=dict)
    moment: datetime | None = None
    is_late: bool = False


@dataclass
class Download:
    """system: whose it is. odd: names that are not as this system writes them."""

    system: str
    hand_ins: list[HandIn]
    odd: list[str] = field(default_factory=list)


def read_download(archive: Archive, names: Collection[str]) -> Download:
    """names: of the files that are asked for. Errors: ConfigError where it is nobody's download."""
    files = archive.files
    if metadata := [file for file in files if file.path[-1] == _METADATA]:
        return _gradescope(archive, min(metadata, key=lambda file: len(file.path)), files)
    common = len({file.path[0] for file in files}) == 1 and all(len(file.path) > 1 for file in files)
    for system, pattern, read in (("Moodle", _MOODLE, _moodle), ("Canvas", _CANVAS, _canvas)):
        for above in (0, 1) if common else (0,):  # packed again, with the folder that it was unpacked into
            if any(pattern.fullmatch(file.path[above]) for file in files):
                return _by_name(system, pattern, read, above, files, names)
    raise ConfigError("the archive is no download of all submissions from Canvas, Moodle or Gradescope, by its names")


def _by_name(
    system: str, pattern: re.Pattern[str], read: Callable[..., None], above: int, files: list[Packed], names: Any
) -> Download:
    found: dict[str, HandIn] = {}
    download = Download(system, [])
    for file in files:
        if match := pattern.fullmatch(file.path[above]):
            place = f"{match['name']}_{match['number']}"
            clues = Clues(name=match["name"], number=match["number"])
            read(found.setdefault(place, HandIn(place, [clues])), match, file, above, names)
        else:
            download.odd.append(file.name)
    download.hand_ins = [*found.values()]
    return download


def _canvas(hand_in: HandIn, match: re.Match[str], file: Packed, above: int, names: Collection[str]) -> None:
    """Of two files of one name the one that was handed in later, as its number is larger."""
    hand_in.is_late |= bool(match["late"])
    if match["typed"]:
        return
    plain = _AGAIN.sub("", match["rest"])
    name = plain if plain in names else match["rest"]
    before = hand_in.files.get(name)
    known = _CANVAS.fullmatch(before.path[above]) if before else None
    if known is None or int(known["file"]) < int(match["file"]):
        hand_in.files[name] = file


def _moodle(hand_in: HandIn, match: re.Match[str], file: Packed, above: int, names: Collection[str]) -> None:
    """What was typed in there is no file."""
    if match["kind"] == "file":
        below = file.path[above + 1 :]
        hand_in.files["/".join(below) or match["rest"]] = file


def _gradescope(archive: Archive, metadata: Packed, files: list[Packed]) -> Download:
    base = metadata.path[:-1]
    found = {place: HandIn(place, people, moment=moment) for place, people, moment in _submissions(archive, metadata)}
    download = Download("Gradescope", [])
    for file in files:
        below = file.path[len(base) :]
        if file.path[: len(base)] == base and len(below) > 1 and below[0] in found:
            found[below[0]].files["/".join(below[1:])] = file
        elif file is not metadata:
            download.odd.append(file.name)
    download.hand_ins = [one for one in found.values() if one.files]
    return download


def _submissions(archive: Archive, metadata: Packed) -> Iterator[tuple[str, list[Clues], datetime | None]]:
    try:
        read = yaml.load(archive.read(metadata), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for place, one in read.items():
            people = [_person(person) for person in one.get(":submitters") or []]
            yield str(place), people, _moment(one.get(":created_at"))
    except (UnsafeError, yaml.YAMLError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ConfigError(f"{metadata.name} cannot be read: {type(error).__name__}") from None


def _person(person: dict[str, Any]) -> Clues:
    texts = {name: str(person.get(f":{name}") or "") for name in ("name", "email", "sid")}
    return Clues(name=texts["name"], email=texts["email"], id=texts["sid"])


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        with suppress(OverflowError):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    return None
