"""The reports of a course, kept for staff: `reports/<exercise>/<student>.json` in the course folder.

They lie outside nbgrader's folders, since those are copied to students and reports name hidden tests. Why there is none
is kept in the store.
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path

import msgspec

from autograder.errors import ConfigError
from autograder.report import Report
from autograder.store import Store, write_whole

_REFUSED = "refused"


def save_report(root: Path, student: str, report: Report) -> None:
    """Write a student's report in the place of an older one. Errors: OSError."""
    write_whole(_path(root, report.exercise, student), report.to_json().encode())
    Store(root, report.exercise).forget(_REFUSED, student)


def save_refusal(root: Path, exercise: str, student: str, reason: str) -> None:
    """Keep why a student is not graded, in the place of an older report. Errors: OSError."""
    with suppress(OSError):  # no room: the report must go all the same
        Store(root, exercise).save(_REFUSED, student, "", reason.encode())
    _path(root, exercise, student).unlink(missing_ok=True)


def refusal(root: Path, exercise: str, student: str) -> str:
    """Why the last run did not grade a student, if so."""
    return (Store(root, exercise).load(_REFUSED, student, "") or b"").decode()


def forget_refusals(root: Path, exercise: str, students: list[str]) -> None:
    """Of all but these. Errors: OSError."""
    Store(root, exercise).keep_only(_REFUSED, students)


def load_report(root: Path, exercise: str, student: str) -> Report:
    """Errors: ConfigError where there is no such report, and why, or it is not one."""
    path = _path(root, exercise, student)
    if reason := refusal(root, exercise, student):
        raise ConfigError(f"`{exercise}` of {student} is not graded: {reason}")
    try:
        return msgspec.json.decode(path.read_bytes(), type=Report)
    except FileNotFoundError:
        again = f"run `autograder grade {exercise} --student {shlex.quote(student)}`"
        raise ConfigError(f"`{exercise}` of {student} is not graded yet: {again}") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path} is no report: {error}; grade again") from None


def reported_students(root: Path, exercise: str) -> list[str]:
    """Every student who has a report for the exercise, sorted."""
    return sorted(path.stem for path in reports_folder(root, exercise).glob("*.json"))


def reports_folder(root: Path, exercise: str) -> Path:
    """Where the reports of an exercise lie."""
    return root / "reports" / exercise


def _path(root: Path, exercise: str, student: str) -> Path:
    return reports_folder(root, exercise) / f"{student}.json"
