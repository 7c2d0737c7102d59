"""Every change of a score of one exercise, in the order in which it was seen: `score-log/<exercise>.jsonl`.

A line is what the gradebook has of one task of one student, where that is other than the last line about it says. So
the log misses nothing, whoever wrote into the gradebook. What a run writes it notes at once, with its reason; what a
person has entered in formgrader, or a run has written that was killed before it could note it, is noted when the
gradebook is next read. Lines are only ever added, by one process at a time.
"""

from __future__ import annotations

import errno
import fcntl
import getpass
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import msgspec
from nbgrader.api import Gradebook

from autograder.course.changed_tasks import TaskChanges
from autograder.course.course import Course
from autograder.course.reports import load_report
from autograder.course.standings import recorded_standings
from autograder.errors import ConfigError
from autograder.standing import Entry, Standing

LATE = "late penalty"  # stands in the place of a task, as no task can be called so
FOUND = "found in the gradebook"
BY_HAND = "entered by hand"
GONE = "it is not in the gradebook any more"

_log = logging.getLogger(__name__)

Basis = Callable[[str], tuple[str, int | None]]  # from a student to version and seed


class Change(msgspec.Struct, frozen=True):
    """One line. old, new: the score that counts, None where there is none; points: what the task is worth now.

    version, seed: of the exercise by which the student's report was made. automatic, manual, extra: as in `Entry`, now.
    by: the account that ran the command; nothing where people have entered it, as nbgrader does not keep who did.
    """

    when: str
    exercise: str
    version: str
    seed: int | None
    student: str
    task: str
    old: float | None
    new: float | None
    points: float
    automatic: float | None
    manual: float | None
    extra: float
    why: str
    by: str

    @property
    def entry(self) -> Entry:
        """What the gradebook had when it was written."""
        return Entry(self.points, self.automatic, self.manual, self.extra)


class ScoreLog:
    """The log of one exercise. root: the course folder."""

    def __init__(self, root: Path, exercise: str) -> None:
        self._path = log_file(root, exercise)
        self._exercise = exercise
        self._last: dict[str, dict[str, Entry]] = {}
        self._read_to = 0
        self._ends_whole = True

    def note(
        self,
        read: Callable[[], Mapping[str, Standing]],
        why: str,
        basis: Basis,
        *,
        everybody: bool,
        tasks: TaskChanges | None = None,
    ) -> None:
        """Add what has changed since the last line about it; where nothing can be added, a warning says so.

        read: what the gradebook has now, by student. It is asked while nobody else adds a line, so that no older state
        is taken for a newer one. why: of what no person has entered. everybody: whether who is not in it has nothing.
        tasks: what has just become of them.
        """
        try:
            with self._held() as (file, start):
                standings = read()
                students = sorted({*standings, *self._last} if everybody else standings)
                became = tasks or TaskChanges()
                found = (self._changes(student, standings, why, basis, became) for student in students)
                lines = [*chain.from_iterable(found)]
                if lines:
                    _write(file, start + b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        except OSError as error:
            _log.warning(
                "%s: what has changed could not be noted: %s; the next run notes it", self._path, error.strerror
            )

    @contextmanager
    def _held(self) -> Iterator[tuple[int, bytes]]:
        """The file, which nobody else adds to meanwhile, and what a new line must begin with. Errors: OSError."""
        self._path.parent.mkdir(exist_ok=True)
        with self._path.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(self._read_to)
            added = file.read() or b""
            for change, _ in _parsed(added):
                if change:
                    self._last.setdefault(change.student, {})[change.task] = change.entry
            self._read_to += len(added)
            self._ends_whole = added.endswith(b"\n") if added else self._ends_whole
            yield file.fileno(), b"" if self._ends_whole else b"\n"

    def _changes(
        self,
        student: str,
        standings: Mapping[str, Standing],
        why: str,
        basis: Basis,
        tasks: TaskChanges,
    ) -> Iterator[Change]:
        standing = standings.get(student)
        now = {} if standing is None else entries_of(standing)
        before = self._last.get(student, {})
        former = {new: old for old, new in tasks.renamed.items() if new not in before}
        made: tuple[str, int | None] = "", None
        for task in {**now, **before}:
            new = now.get(task)
            old = before.get(former.get(task, task), Entry(new.points if new else 0.0, None))
            if new is None:
                new, reason = Entry(old.points, None), _why_gone(student, task, tasks)
            else:
                reason = _reason(old, new, why)
            if old != new or task in former:
                made = made if made[0] else basis(student)
                by = "" if reason == BY_HAND else _account()
                yield Change(
                    when=datetime.now(UTC).isoformat(timespec="seconds"),
                    exercise=self._exercise,
                    version=made[0],
                    seed=made[1],
                    student=student,
                    task=task,
                    old=old.earned,
                    new=new.earned,
                    points=new.points,
                    automatic=new.automatic,
                    manual=new.manual,
                    extra=new.extra,
                    why=reason,
                    by=by,
                )


def log_file(root: Path, exercise: str) -> Path:
    """Where the log of an exercise lies."""
    return root / "score-log" / f"{exercise}.jsonl"


def note_found(
    course: Course,
    gradebook: Gradebook,
    exercise: str,
    why: str = FOUND,
    tasks: TaskChanges | None = None,
) -> None:
    """Note all that the gradebook has and no line says. why, tasks: as in `ScoreLog.note`."""

    def basis(student: str) -> tuple[str, int | None]:
        try:
            report = load_report(course.root, exercise, student)
        except ConfigError:
            return "", None
        return report.version, report.seed

    log = ScoreLog(course.root, exercise)
    log.note(lambda: recorded_standings(gradebook, exercise), why, basis, everybody=True, tasks=tasks)


def read_log(root: Path, exercise: str) -> tuple[list[Change], list[int]]:
    """All lines, and the numbers of those that are none, as after a full disk. Errors: ConfigError."""
    try:
        content = log_file(root, exercise).read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"no score of `{exercise}` has been noted yet; run `autograder grade {exercise}`") from None
    except OSError as error:
        raise ConfigError(f"{log_file(root, exercise)} cannot be read: {error.strerror}") from None
    parsed = list(_parsed(content))
    return [change for change, _ in parsed if change], [number for change, number in parsed if not change]


def _parsed(content: bytes) -> Iterable[tuple[Change | None, int]]:
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            yield msgspec.json.decode(line, type=Change), number
        except msgspec.DecodeError:
            yield None, number


def _write(file: int, content: bytes) -> None:
    if os.write(file, content) < len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def entries_of(standing: Standing) -> dict[str, Entry]:
    """Its tasks, and what is taken off for being late as one more."""
    return {**standing.tasks, LATE: Entry(0.0, -standing.penalty if standing.penalty else None)}


def _reason(old: Entry, new: Entry, why: str) -> str:
    by_hand = (old.manual, old.extra) != (new.manual, new.extra)
    by_run = (old.points, old.automatic) != (new.points, new.automatic)
    return "; ".join([why] * by_run + [BY_HAND] * by_hand) or why


def _why_gone(student: str, task: str, tasks: TaskChanges) -> str:
    if task in tasks.renamed:
        return f"it is called {tasks.renamed[task]} now"
    comment = tasks.comments.get((student, task))
    return f"{GONE}; the comment was: {comment}" if comment else GONE


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without names
        return str(os.getuid())
