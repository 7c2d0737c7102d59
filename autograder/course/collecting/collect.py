"""A download of all submissions, laid out as `submitted/<student>/<exercise>/` for grading.

A submission is written beside its place first and then put there, so that it is there whole or not at all; one that was
laid there before stays as it lies. When it was handed in stands in `timestamp.txt`; what a student has called so is
left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from autograder.course.collecting.archive import Archive, Packed
from autograder.course.collecting.place import Place, digest_of
from autograder.course.collecting.roster import Roster
from autograder.course.collecting.systems import HandIn, read_download
from autograder.course.course import Course
from autograder.scrub import plain_line
from autograder.submission.handed_in import is_one_name, name_fault
from autograder.submission.timestamp import TIMESTAMP, read_timestamp
from autograder.tree import HANDED_IN, UnsafeError


@dataclass
class Collected:
    """system: whose download it was. taken: whose submissions were laid out. unchanged: whose stay as they lie, since
    these were laid out before. kept: whose stay, as they were handed in later. set_aside: whose folder had more than a
    collect had laid there, and where all that is now. late: whom the system calls late, and nothing says when.
    refused: whose cannot be graded as they lie, and why. unmatched: what was not laid out, and why.
    """

    system: str
    taken: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    set_aside: dict[str, Path] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    unmatched: dict[str, str] = field(default_factory=dict)


def collect(course: Course, slug: str, download: Path, roster: Roster, notebooks: tuple[str, ...]) -> Collected:
    """Lay out what a download has for an exercise. notebooks: their right names.

    Errors: ConfigError where it is no such download.
    """
    with Archive.opened(download) as archive:
        names = (*(f"{notebook}.ipynb" for notebook in notebooks), *course.written_files(slug))
        found = read_download(archive, names)
        collected = Collected(found.system, unmatched=dict(archive.left_out))
        collected.unmatched |= dict.fromkeys(found.odd, f"its name is not as {found.system} writes them")
        for student, hand_in in _latest(_matched(found.hand_ins, roster, collected)).items():
            if not hand_in.files:
                collected.unmatched[hand_in.place] = f"{student} has handed in a text or a link, no file"
                continue
            try:
                moment = hand_in.moment or _moment(roster.times.get(student, ""), course.timezone)
                _lay_out(Place(course, slug, student), student, archive, hand_in, moment, collected)
            except (UnsafeError, OSError, ValueError) as error:
                collected.unmatched[hand_in.place] = f"{student}: {plain_line(str(error))}"
                continue
            if refused := course.handed_in(student, slug, notebooks).refused:
                collected.refused[student] = refused
    return collected


def _matched(hand_ins: list[HandIn], roster: Roster, collected: Collected) -> Iterator[tuple[str, HandIn]]:
    for hand_in in hand_ins:
        if not hand_in.people:
            collected.unmatched[hand_in.place] = "the download does not say whose it is"
        for person in hand_in.people:
            try:
                student = roster.student(person)
            except LookupError as error:
                told = plain_line(person.name or person.email or person.id)
                who = f"{hand_in.place} ({told})" if told and told not in hand_in.place else hand_in.place
                collected.unmatched[who] = str(error)
                continue
            if fault := name_fault(student):
                collected.unmatched[hand_in.place] = fault
            else:
                yield student, hand_in


def _latest(matched: Iterator[tuple[str, HandIn]]) -> dict[str, HandIn]:
    """Of several of one student's the last with files; of those without a time, the last in the download."""
    latest: dict[str, HandIn] = {}
    for student, hand_in in matched:
        before = latest.get(student)
        if before is None or _rank(hand_in) >= _rank(before):
            latest[student] = hand_in
    return dict(sorted(latest.items()))


def _rank(hand_in: HandIn) -> tuple[bool, datetime]:
    return bool(hand_in.files), hand_in.moment or datetime.min.replace(tzinfo=UTC)


def _moment(text: str, timezone: str) -> datetime | None:
    """A time of the table, which without a zone is in the course's. Errors: ValueError where it is none."""
    moment = read_timestamp(f"{text} {timezone}".encode() if "/" in timezone else text.encode(), timezone)
    return moment.replace(tzinfo=UTC) if text and moment else None


def _lay_out(
    place: Place, student: str, archive: Archive, hand_in: HandIn, moment: datetime | None, collected: Collected
) -> None:
    """Nothing takes the place of itself, nor of what was handed in later.

    Errors: UnsafeError where a file cannot be read or there is too much; OSError.
    """
    files = _files(hand_in)
    digests = {name: digest_of(archive.read(file)) for name, file in files.items()}
    timestamp = f"{moment:%Y-%m-%d %H:%M:%S} UTC\n".encode() if moment else b""
    if moment and place.moment and place.moment > moment:
        collected.kept.append(student)
        return
    if place.holds(digests):
        if timestamp and place.timestamp_laid:
            place.write_timestamp(timestamp)
        collected.unchanged.append(student)
        has_moment = bool(timestamp) or place.has_timestamp
    else:
        with place.replaced() as (new, aside):
            for name, file in files.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                (new / name).write_bytes(archive.read(file))
            if timestamp:
                (new / TIMESTAMP).write_bytes(timestamp)
                digests[TIMESTAMP] = digest_of(timestamp)
        place.keep_in_mind(digests)
        collected.taken.append(student)
        if aside:
            collected.set_aside[student] = aside
        has_moment = bool(timestamp)
    if hand_in.is_late and not has_moment:
        collected.late.append(student)


def _files(hand_in: HandIn) -> dict[str, Packed]:
    """By their names in the submission's folder. Errors: UnsafeError where they cannot be laid out."""
    files = {name: file for name, file in hand_in.files.items() if name.lower() != TIMESTAMP}
    if odd := [name for name in files if not all(map(is_one_name, name.split("/")))]:
        raise UnsafeError(f"{odd[0]!r} is no name of a file")
    if len(files) >= HANDED_IN.entries or sum(file.size for file in files.values()) > HANDED_IN.size:
        raise UnsafeError(f"it is more than {HANDED_IN.entries} files or {HANDED_IN.size >> 20} MiB")
    return files
