"""A submission in the Common Test Report Format, by its JSON schema: for staff, with the names of hidden tests.

A test that waits for a person, because of a fault of ours or because a person grades it, is "pending". One that is
carried, or that a person has graded, is "other"; `rawStatus` has our own word. Times are 0: reports keep none, as the
same work has the same report. Points are in `extra`, null where there is no score.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import version
from typing import Any

from autograder.course.exports.result import Result, checks
from autograder.report import Status, TaskResult, TestResult

_STATUSES = ("passed", "failed", "skipped", "pending", "other")
_SPEC_VERSION = "0.0.0"


def ctrf(result: Result) -> str:
    """The file's text."""
    tests = [_test(task, test) for task in (result.report.tasks if result.report else ()) for test in checks(task)]
    if result.report is None:
        tests = [_as_test(result.not_graded, "pending")]
    counted = Counter(test["status"] for test in tests)
    summary = {"tests": len(tests), **{status: counted[status] for status in _STATUSES}, "start": 0, "stop": 0}
    document = {
        "reportFormat": "CTRF",
        "specVersion": _SPEC_VERSION,
        "results": {
            "tool": {"name": "autograder", "version": version("autograder")},
            "summary": summary,
            "tests": tests,
            "environment": {"reportName": f"{result.exercise}: {result.student}"},
            "extra": _extra(result),
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _extra(result: Result) -> dict[str, Any]:
    known = {"exercise": result.exercise, "student": result.student}
    if result.report is None or result.standing is None:
        return known | {"points": None}
    standing = result.standing
    return known | {
        "version": result.report.version,
        "seed": result.report.seed,
        "points": None if standing.is_ungraded else standing.earned,
        "pointsCounted": standing.counted,
        "tasks": {name: {"points": entry.points, "earned": entry.earned} for name, entry in standing.tasks.items()},
    }


def _test(task: TaskResult, test: TestResult) -> dict[str, Any]:
    extra = {"task": task.name, "weight": test.weight}
    return _as_test(test, _status(task, test)) | {"suite": [task.name], "extra": extra}


def _as_test(test: TestResult, status: str) -> dict[str, Any]:
    said = {"message": test.message, "trace": test.fault}
    known = {"name": test.name, "status": status, "duration": 0, "rawStatus": str(test.status)}
    return known | {key: text for key, text in said.items() if text}


def _status(task: TaskResult, test: TestResult) -> str:
    if test.status is Status.PASSED:
        return "passed"
    if test.status is Status.UNGRADED or (test.status is Status.BY_HAND and task.earned is None):
        return "pending"
    return "other" if test.status in (Status.CARRIED, Status.BY_HAND) else "failed"
