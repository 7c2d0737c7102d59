"""Runs a hidden suite with pytest, in the grader's process, against one student's session after another.

The suite's tests see three fixtures: `student`, `reference` (the reference functions) and `rng` (seeded by the
report's seed and the test's name). A test's outcome is a `TestResult`; an exception that is neither a comparison's
nor the student's is a fault of the suite, and its task stays ungraded.

pytest starts, reads the suite and collects once. It runs in a greenlet of its own, which waits in pytest's test loop
for the next session: so starting it costs each student nothing, and all runs in one thread.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
import zlib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self
from unittest import mock

import numpy as np
import pytest
from greenlet import getcurrent, greenlet

from autograder import testing
from autograder.checks.compare import Mismatch
from autograder.errors import ExerciseError, SandboxError
from autograder.exercise.folder import Exercise
from autograder.grading.student import Student, StudentFailure, Trace
from autograder.isolation.session import Session
from autograder.report import Status, TestResult

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


@dataclass
class SuiteResult:
    """What the hidden tests came to for one session.

    results: by task. traces: of each test that did not pass, by its name, all that came back from the session.
    distances: of each test, the errors of its comparisons as multiples of what is allowed. dtypes: of each task, those
    of the arrays and tensors that were handed over.
    """

    results: dict[str, list[TestResult]]
    traces: dict[str, Trace] = field(default_factory=dict)
    distances: dict[str, list[float]] = field(default_factory=dict)
    dtypes: dict[str, set[str]] = field(default_factory=dict)


class Suite:
    """The hidden suite of an exercise, collected. Use as a context manager.

    Errors: ExerciseError where pytest could not collect it, or an automatic task has no test.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._plugin = _Plugin(exercise)
        self._pytest = greenlet(self._main)
        self._go_on(None)
        _forget(exercise.hidden_suite)
        if self._pytest.dead or self._plugin.fault:
            self.close()
            raise self._unusable()

    def run(
        self, session: Session, reference: SimpleNamespace, seed: int, tasks: Collection[str] | None = None
    ) -> SuiteResult:
        """Run the tests of `tasks`, all by default.

        Errors: ExerciseError where pytest broke; SandboxError where the students' processes could not be had any more.
        """
        wanted = self._exercise.automatic if tasks is None else tasks
        job = _Job(
            session, reference, seed, SuiteResult({task: [] for task in self._exercise.automatic if task in wanted})
        )
        self._go_on(job)
        if job.broken:
            raise job.broken
        if self._pytest.dead:
            raise self._unusable()
        return job.run

    def close(self) -> None:
        if not self._pytest.dead:
            self._go_on(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _go_on(self, job: _Job | None) -> None:
        """Let pytest run until it waits for a session again, or ends."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
        with mock.patch.dict(os.environ, environment, clear=True), contextlib.redirect_stdout(io.StringIO()):
            self._pytest.parent = getcurrent()
            code = self._pytest.switch(job)
        if self._pytest.dead and code == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt

    def _main(self, _: None) -> int | pytest.ExitCode:
        folder, suite = self._exercise.folder, self._exercise.hidden_suite
        return pytest.main([*_OPTIONS, f"--rootdir={folder}", str(suite)], plugins=[self._plugin])

    def _unusable(self) -> ExerciseError:
        return ExerciseError(f"{self._exercise.hidden_suite}: pytest could not run it\n{self._plugin.fault}".rstrip())


def _forget(suite: Path) -> None:
    """pytest would run the module it has loaded, also for another exercise or after the file has changed."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).name == suite.name and Path(file).resolve() == suite.resolve():
            del sys.modules[name]


@dataclass
class _Job:
    session: Session
    reference: SimpleNamespace
    seed: int
    run: SuiteResult
    broken: SandboxError | None = None


class _Plugin:
    """The pytest plug-in: waits for jobs, gives the tests their fixtures and writes down what each came to."""

    def __init__(self, exercise: Exercise) -> None:
        self.fault = ""
        self._exercise = exercise
        self._job: _Job | None = None
        self._trace: Trace = []

    @property
    def job(self) -> _Job:
        assert self._job
        return self._job

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        task = _mark(request.node)[0]
        return Student(self.job.session, task, self._trace, self.job.run.dtypes.setdefault(task, set()))

    @pytest.fixture
    def reference(self) -> SimpleNamespace:
        return self.job.reference

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        return np.random.default_rng([self.job.seed, zlib.crc32(request.node.name.encode())])

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "task(name, weight): the task that a test belongs to")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.fault = str(report.longrepr)

    def pytest_internalerror(self, excrepr: object) -> bool:
        self.fault = str(excrepr)
        return True  # or pytest prints it

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        tested = [_mark(item)[0] for item in items]
        unknown = [item.name for item, task in zip(items, tested, strict=True) if task not in self._exercise.automatic]
        untested = [task for task in self._exercise.automatic if task not in tested]
        silent = [item.name for item in items if not _docstring(item)]
        if unknown:
            self.fault = f"{unknown[0]} belongs to no automatic task"
        elif silent:
            self.fault = f"{silent[0]} needs a docstring, which tells students what is tried"
        elif untested and not self.fault:
            self.fault = f"no test for task `{untested[0]}`"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        while job := getcurrent().parent.switch():
            self._job = job
            items = [item for item in session.items if _mark(item)[0] in job.run.results]
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self._job = None
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Do not run what would only end the process once more for the same reason."""
        self._trace = []
        testing.distances.clear()
        ended = next((result for result in self.job.run.results[_mark(item)[0]] if result.status in _ENDED), None)
        if ended is None:
            return None
        self._record(item, ended.status, "not run: an earlier check of this task had ended the process")
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, SandboxError):
            self.job.broken = error
        if error is not None:
            self._record(item, *_outcome(error))
        elif call.when == "call":
            self._record(item, Status.PASSED, "")
        if call.when == "call":
            call.excinfo = None  # or pytest formats a traceback that nobody reads, longer than the test took

    def _record(self, item: pytest.Item, status: Status, message: str, fault: str = "") -> None:
        task, weight = _mark(item)
        if status is not Status.PASSED:
            self.job.run.traces[item.name] = self._trace
        self.job.run.distances[item.name] = [*testing.distances]
        tried = _docstring(item).splitlines()[0].rstrip(".")
        self.job.run.results[task].append(TestResult(item.name, tried, weight, status, message, fault))


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


def _docstring(item: pytest.Item) -> str:
    return (getattr(item, "function", None).__doc__ or "").strip()
