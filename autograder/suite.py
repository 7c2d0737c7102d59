"""Runs a hidden suite with pytest, in the grader's process, against one student's session.

The suite's tests see three fixtures: `student`, `reference` (the reference functions) and `rng` (seeded by the
report's seed and the test's name). A test's outcome is a `TestResult`; an exception that is neither a comparison's
nor the student's is a fault of the suite, and its task stays ungraded.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

from autograder.compare import Mismatch
from autograder.errors import ExerciseError, SandboxError
from autograder.exercise import Exercise
from autograder.report import Status, TestResult
from autograder.session import Session
from autograder.student import Student, StudentFailure

_ENDED = (Status.TIMEOUT, Status.CRASHED)
_UNUSED_PLUGINS = (
    "cacheprovider doctest faulthandler junitxml pastebin setuponly setupplan stepwise threadexception "
    "unraisableexception logging warnings debugging legacypath"
).split()
_OPTIONS = [
    *(word for name in _UNUSED_PLUGINS for word in ("-p", f"no:{name}")),
    "--disable-plugin-autoload",
    "--assert=plain",
    "--capture=no",
    "--import-mode=importlib",
    "--noconftest",
    "--quiet",
    "--quiet",
    "--no-summary",
    "--no-header",
    "--continue-on-collection-errors",
    "-c",
    os.devnull,
]


def run_suite(
    exercise: Exercise, session: Session, reference: SimpleNamespace, seed: int
) -> dict[str, list[TestResult]]:
    """The results of all hidden tests, by task.

    Errors: ExerciseError where pytest could not collect or run the suite, or a task has no test; SandboxError where
    the students' processes could not be had any more.
    """
    recorder = _Recorder(exercise, session, reference, seed)
    _pytest_main(exercise, recorder)
    without_tests = [task for task in exercise.automatic if not recorder.results[task]]
    if without_tests:
        raise ExerciseError(f"{exercise.hidden_suite}: no test for task `{without_tests[0]}`")
    return recorder.results


def _pytest_main(exercise: Exercise, recorder: _Recorder) -> None:
    arguments = [*_OPTIONS, f"--rootdir={exercise.folder}", str(exercise.hidden_suite)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    with mock.patch.dict(os.environ, environment, clear=True), contextlib.redirect_stdout(io.StringIO()):
        code = pytest.main(arguments, plugins=[recorder])
    _forget(exercise.hidden_suite)
    if recorder.broken:
        raise recorder.broken
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or recorder.fault:
        raise ExerciseError(f"{exercise.hidden_suite}: pytest could not run it\n{recorder.fault}".rstrip())


def _forget(suite: Path) -> None:
    """pytest would run the module it has loaded, also for another exercise or after the file has changed."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).name == suite.name and Path(file).resolve() == suite.resolve():
            del sys.modules[name]


class _Recorder:
    """The pytest plug-in: gives the tests their fixtures and writes down what each came to."""

    def __init__(self, exercise: Exercise, session: Session, reference: SimpleNamespace, seed: int) -> None:
        self.results: dict[str, list[TestResult]] = {task: [] for task in exercise.automatic}
        self.fault = ""
        self.broken: SandboxError | None = None
        self._session = session
        self._reference = reference
        self._seed = seed

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        return Student(self._session, _mark(request.node)[0])

    @pytest.fixture
    def reference(self) -> SimpleNamespace:
        return self._reference

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        return np.random.default_rng([self._seed, zlib.crc32(request.node.name.encode())])

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "task(name, weight): the task that a test belongs to")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.fault = str(report.longrepr)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if _mark(item)[0] not in self.results:
                self.fault = f"{item.name} belongs to no automatic task"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Do not run what would only end the process once more for the same reason."""
        task, _ = _mark(item)
        ended = next((result for result in self.results[task] if result.status in _ENDED), None)
        if ended is None:
            return None
        self._record(item, ended.status, "not run: an earlier check of this task had ended the process")
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, SandboxError):
            self.broken = error
        if error is not None:
            self._record(item, *_outcome(error))
        elif call.when == "call":
            self._record(item, Status.PASSED, "")
        if call.when == "call":
            call.excinfo = None  # or pytest formats a traceback that nobody reads, longer than the test took

    def _record(self, item: pytest.Item, status: Status, message: str, fault: str = "") -> None:
        task, weight = _mark(item)
        function = getattr(item, "function", None)
        tried = (function.__doc__ or item.name).strip().splitlines()[0].rstrip(".")
        self.results[task].append(TestResult(item.name, tried, weight, status, message, fault))


def _outcome(error: BaseException) -> tuple[Status, str, str]:
    match error:
        case StudentFailure():
            return error.status, str(error), ""
        case Mismatch():
            return Status.FAILED, str(error), ""
        case _:
            trace = "".join(traceback.format_exception(error)[-6:])
            return Status.UNGRADED, "the course's own test broke here; this is not your fault", trace


def _mark(item: Any) -> tuple[str, float]:
    mark = item.get_closest_marker("task")
    return (mark.args[0], float(mark.kwargs.get("weight", 1))) if mark else ("", 1.0)
