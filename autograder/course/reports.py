"""The reports of a course, kept for staff: `reports/<exercise>/<student>.json` in the course folder.

They lie outside nbgrader's folders, since those are copied to students and reports name hidden tests.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from autograder.errors import ConfigError
from autograder.report import Report
from autograder.store import write_whole


def save_report(root: Path, student: str, report: Report) -> None:
    """Write a student's report in the place of an older one."""
    write_whole(_path(root, report.exercise, student), report.to_json().encode())


def forget_report(root: Path, exercise: str, student: str) -> None:
    """Remove a student's report, if there is one. Errors: OSError."""
    _path(root, exercise, student).unlink(missing_ok=True)


def load_report(root: Path, exercise: str, student: str) -> Report:
    """Errors: ConfigError where there is no such report, or it is not one."""
    path = _path(root, exercise, student)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Report)
    except FileNotFoundError:
        raise ConfigError(f"`{exercise}` of {student} is not graded yet: there is no {path}") from None
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
