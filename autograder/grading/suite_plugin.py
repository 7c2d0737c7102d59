"""The pytest plug-in under which hidden suites run: gives tests their fixtures and writes down what each came to.

The suite's tests see three fixtures: `student`, `reference` (the reference functions) and `rng` (seeded by the
report's seed and the test's name, as Hypothesis is where a test uses it). A test's outcome is a `TestResult`; an
exception that is neither a comparison's nor the student's is a fault of the suite, and its task stays ungraded.
"""

from __future__ import annotations

import ast
import traceback
import warnings
import zlib
from collections.abc import Callable, Container, Generator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from autograder import testing
from autograder.checks.compare import Mismatch
from autograder.errors import SandboxError
from autograder.exercise.definition import Exercise
from autograder.exercise.suites import doubled
from autograder.grading.blame import told_of_value
from autograder.grading.questions import asked
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.grading.suite_hypothesis import seed_examples
from autograder.grading.trace import ROOM, Recorder, Trace, settled
from autograder.grading.workplace import among_its_files
from autograder.isolation.session import Session
from autograder.report import ENDED, Status, TestResult
from autograder.scrub import scrub

_ENDS = 2  # of a task's tests that may end the process: one alone may be about a special case
_WARNING = 200  # characters


@dataclass
class SuiteResult:
    """What the hidden tests came to for one session.

    results: by task. traces: of each test that did not pass, by its name, what came back from the session.
    distances: of each test, the errors of its comparisons as multiples of what is allowed. dtypes: of each task, those
    of the arrays and tensors that were handed over, NumPy's and torch's. asked: of each test, the names of the notebook
    that it asked for.
    """

    results: dict[str, list[TestResult]]
    traces: dict[str, Trace] = field(default_factory=dict)
    distances: dict[str, list[float]] = field(default_factory=dict)
    dtypes: dict[str, set[str]] = field(default_factory=dict)
    asked: dict[str, set[str]] = field(default_factory=dict)


@dataclass
class Job:
    """One run of the suite; variables, states, tests: as in `Suite.run`.

    result: filled in by the run, for the tasks that it has. broken: what ended the run. trace_room: bytes that are left
    for traces.
    """

    session: Session
    reference: SimpleNamespace
    seed: int
    result: SuiteResult
    states: Mapping[str, str]
    tests: Container[str] | None
    variables: Mapping[str, dict[str, Any]]
    broken: SandboxError | None = None
    trace_room: int = ROOM


class SuitePlugin:
    """The plug-in: runs the jobs that `next_job` gives until it gives None.

    fault: why the suite cannot be run; nothing where it can.
    """

    def __init__(self, exercise: Exercise, next_job: Callable[[], Job | None]) -> None:
        self.fault = ""
        self._exercise = exercise
        self._next_job = next_job
        self._job: Job | None = None
        self._recorder = Recorder()
        self._is_disturbed = False

    @property
    def job(self) -> Job:
        assert self._job
        return self._job

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        task = _mark(request.node)[0]
        dtypes = self.job.result.dtypes.setdefault(task, set())
        wanted, state = self._exercise.tasks[task], self.job.states[task]
        return Student(self.job.session, task, self._recorder, dtypes, state, wanted.functions, wanted.variables)

    @pytest.fixture
    def reference(self, request: pytest.FixtureRequest) -> SimpleNamespace:
        own = self.job.variables.get(_mark(request.node)[0])
        return SimpleNamespace(**vars(self.job.reference) | own) if own else self.job.reference

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        return np.random.default_rng([self.job.seed, zlib.crc32(_name(request.node).encode())])

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "question" in metafunc.fixturenames:
            tests = [pytest.param(one, id=str(one), marks=pytest.mark.task(one.task)) for one in asked(self._exercise)]
            metafunc.parametrize("question", tests)

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "task(name, weight): the task that a test belongs to")

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with among_its_files(self._exercise):
            return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.fault = str(report.longrepr)

    def pytest_internalerror(self, excrepr: object) -> None:
        self.fault = str(excrepr)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.fault = self.fault or _fault(items, self._exercise)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        while job := self._next_job():
            self._job = job
            items = [item for item in session.items if _is_wanted(item, job)]
            with among_its_files(self._exercise):
                for item, following in zip_longest(items, items[1:]):
                    self._run(item, following)
            self._job = None
        return True

    def _run(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """The whole test again where its process was ended from outside: what a test keeps there is gone with it."""
        seed_examples(getattr(item, "function", None), zlib.crc32(f"{self.job.seed} {_name(item)}".encode()))
        while True:
            self._is_disturbed = False
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("default")
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if not self._is_disturbed:
                break
        self._tell(_mark(item)[0], heard)
        self._recorder = Recorder()  # results may be large
        self.job.session.forget_values()

    def _tell(self, task: str, heard: list[warnings.WarningMessage]) -> None:
        """Let the last test of the task say what its values provoked here, if it was lost."""
        tests = self.job.result.results[task]
        said = [str(one.message) for one in heard if issubclass(one.category, RuntimeWarning)]
        if said and tests and tests[-1].status not in (Status.PASSED, Status.UNGRADED):
            warned = scrub(f"{tests[-1].message}; your values led to a warning: {said[0][:_WARNING]}")
            tests[-1] = replace(tests[-1], message=warned)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Do not run what would in all likelihood only end the process once more for the same reason."""
        self._recorder = Recorder(self.job.trace_room)
        testing.distances.clear()
        ended = [test.status for test in self.job.result.results[_mark(item)[0]] if test.status in ENDED]
        if len(ended) < _ENDS:
            return None
        self._record(item, ended[-1], "not run: earlier checks of this task had ended the process")
        item.session._setupstate.teardown_exact(nextitem)  # what the one before has left for this one
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, SandboxError):
            self.job.broken = error
        self._is_disturbed = self._is_disturbed or self._is_excused(item, error)
        if not self._is_disturbed:
            self._note(item, error, call.when)
        _forget_locals(error)
        if call.when == "call":
            call.excinfo = None  # or pytest formats a traceback that nobody reads, longer than the test took

    def _is_excused(self, item: pytest.Item, error: BaseException | None) -> bool:
        if not isinstance(error, StudentFailure) or not error.call:
            return False
        return self.job.session.excuses((_name(item), error.call))

    def _note(self, item: pytest.Item, error: BaseException | None, when: str) -> None:
        if error is not None:
            self._record(item, *_outcome(error, self._recorder.trace))
        elif when == "call":
            self._record(item, Status.PASSED, "")

    def _record(self, item: pytest.Item, status: Status, message: str, fault: str = "") -> None:
        (task, weight), name, result = _mark(item), _name(item), self.job.result
        if status is not Status.PASSED:
            result.traces[name] = settled(self._recorder.trace)
            self.job.trace_room = self._recorder.room
        result.distances[name] = [*testing.distances]
        result.asked[name] = self._recorder.asked
        tried = _docstring(item).splitlines()[0].rstrip(".")
        result.results[task].append(TestResult(name, tried, weight, status, message, fault))


def _is_wanted(item: pytest.Item, job: Job) -> bool:
    return _mark(item)[0] in job.result.results and (job.tests is None or _name(item) in job.tests)


def _outcome(error: BaseException, trace: Trace) -> tuple[Status, str, str]:
    match error:
        case StudentFailure():
            return error.status, str(error), ""
        case Mismatch():
            return Status.FAILED, str(error), ""
        case BaseExceptionGroup() if isinstance(error.exceptions[0], StudentFailure | Mismatch):
            return _outcome(error.exceptions[0], trace)  # Hypothesis found no second time what it had found
        case _ if told := told_of_value(error, trace):
            return Status.ERROR, told, ""
        case _:
            fault = "".join(traceback.format_exception(error)[-6:])
            return Status.UNGRADED, "the course's own test broke here; this is not your fault", fault


def _forget_locals(error: BaseException | None) -> None:
    """The frames of what was raised hold a test's results, and themselves in a circle."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def _fault(items: list[pytest.Item], exercise: Exercise) -> str:
    """Why these are no tests of the exercise; nothing where they are."""
    tested = {_name(item): _mark(item)[0] for item in items}
    if unknown := [name for name, task in tested.items() if task not in exercise.automatic]:
        return f"{unknown[0]} belongs to no automatic task"
    if silent := [_name(item) for item in items if not _docstring(item)]:
        return f"{silent[0]} needs a docstring, which tells students what is tried"
    for _, replaced in doubled(ast.parse(exercise.hidden_suite.read_bytes())):
        return replaced
    if untested := [task for task in exercise.automatic if task not in tested.values()]:
        return f"no test for task `{untested[0]}`"
    return ""


def _name(item: pytest.Item) -> str:
    """Of the test, after those of the classes that it is in: no other test of the suite has it."""
    return "::".join(node.name for node in item.listchain() if isinstance(node, pytest.Class | pytest.Item))


def _mark(item: Any) -> tuple[str, float]:
    mark = item.get_closest_marker("task")
    return (mark.args[0], float(mark.kwargs.get("weight", 1))) if mark else ("", 1.0)


def _docstring(item: pytest.Item) -> str:
    return (getattr(item, "function", None).__doc__ or "").strip()
