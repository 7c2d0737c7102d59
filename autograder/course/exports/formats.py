"""The formats of `autograder export`, and where each is written: one table of the class, or a file a student."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.export import ExportScores
from autograder.course.exports import tables
from autograder.course.exports.class_book import ClassBook, read_class, require_known
from autograder.course.exports.ctrf import ctrf
from autograder.course.exports.gradescope import gradescope
from autograder.course.exports.junit import junit
from autograder.course.exports.result import Result, results
from autograder.errors import ConfigError
from autograder.scrub import plain_line
from autograder.standing import Worth
from autograder.store import write_whole
from autograder.submission.handed_in import name_fault

TABLES: dict[str, Callable[[ClassBook], Iterator[tables.Row]]] = {
    "wide": tables.wide,
    "canvas": tables.canvas,
    "moodle": tables.moodle,
}
FILES: dict[str, tuple[Callable[[Result], str | None], str]] = {
    "gradescope": (gradescope, ".json"),
    "ctrf": (ctrf, ".json"),
    "junit": (junit, ".xml"),
}


@dataclass(frozen=True)
class Exported:
    """What was written. files: how many, in the folder `path`; None where it is a file itself.

    waiting: who has no final score in it, because a person is to look first.
    """

    path: Path
    files: int | None = None
    waiting: list[str] = field(default_factory=list)


def export(course: Course, gradebook: Gradebook, kind: str, to: str, assignments: Sequence[str] = ()) -> Exported:
    """Write a class, or what it has of these assignments, in one of the formats.

    kind: "csv", or a key of TABLES or FILES. to: the file; of FILES, the folder, in which each exercise has one.
    Errors: ConfigError where it cannot be written, or there is no such assignment.
    """
    path = Path(to)
    if kind == "csv":
        require_known(gradebook, assignments)
        ExportScores(to=to, parent=course, assignment=list(assignments)).export(gradebook)
        return Exported(path)
    try:
        if kind in TABLES:
            book = read_class(course, gradebook, assignments)
            write_whole(path, _csv(TABLES[kind](book)))
            return Exported(path, waiting=book.waiting())
        return _write_files(course, gradebook, kind, path, assignments or course.assignment_names)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None


def _csv(rows: Iterator[tables.Row]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8")


def _write_files(course: Course, gradebook: Gradebook, kind: str, to: Path, exercises: Sequence[str]) -> Exported:
    written, waiting = 0, []
    write, suffix = FILES[kind]
    for slug in exercises:
        course.assignment_folder(slug)
        for result in results(course, gradebook, slug):
            if result.worth is not Worth.FINAL:
                waiting.append(plain_line(result.student))
            if name_fault(result.student):  # no file can have it
                continue
            file, text = to / slug / f"{result.student}{suffix}", write(result)
            if text is None:
                file.unlink(missing_ok=True)  # what an earlier export wrote holds no longer
            else:
                write_whole(file, text.encode("utf-8", errors="replace"))
                written += 1
    return Exported(to, written, sorted(set(waiting)))
