"""Runs a hidden suite with pytest, in the grader's process, against one student's session after another.

pytest starts, reads the suite and collects once; then it waits in its test loop for the next session. So starting it
costs each student nothing.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, Self

import pytest

from autograder import layout
from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise
from autograder.grading.resumable import Resumable
from autograder.grading.suite_hypothesis import steady_examples
from autograder.grading.suite_plugin import Job, SuitePlugin, SuiteResult
from autograder.isolation.session import Session

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


NO_VARIABLES: Mapping[str, dict[str, Any]] = MappingProxyType({})


class Suite:
    """The hidden suite of an exercise, collected. Use as a context manager, in one thread.

    Errors: ExerciseError where pytest could not collect it, or an automatic task has no test.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._pytest: Resumable[Job, int | pytest.ExitCode] = Resumable(self._main)
        self._plugin = SuitePlugin(exercise, self._pytest.wait)
        self._go_on(None)
        _forget(exercise.hidden_suite)
        if self._pytest.ended or self._plugin.fault:
            self.close()
            raise self._unusable()

    def run(
        self,
        session: Session,
        reference: SimpleNamespace,
        seed: int,
        states: Mapping[str, str] | None = None,
        tests: Container[str] | None = None,
        variables: Mapping[str, dict[str, Any]] = NO_VARIABLES,
    ) -> SuiteResult:
        """Run the tests of the tasks in `states`; of those only the ones that `tests` names, if it is given.

        states: which state of the notebook each is tested in; by default all are, as the notebook stood at their grade
        cells. variables: by task, those of the reference at its grade cell. Errors: ExerciseError where pytest broke;
        SandboxError where the students' processes could not be had any more.
        """
        wanted = {task: task for task in self._exercise.automatic} if states is None else states
        result = SuiteResult({task: [] for task in self._exercise.automatic if task in wanted})
        job = Job(session, reference, seed, result, wanted, tests, variables)
        self._go_on(job)
        if job.broken:
            raise job.broken
        if self._pytest.ended:
            raise self._unusable()
        return result

    def close(self) -> None:
        self._go_on(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _go_on(self, job: Job | None) -> None:
        """Let pytest run until it waits for a job again, or ends, if it has not yet."""
        if self._pytest.ended:
            return
        examples = steady_examples(self._exercise.hidden_suite)
        with _own_environment(), examples, contextlib.redirect_stdout(io.StringIO()):
            self._pytest.resume(job)
        if self._pytest.result == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt

    def _main(self) -> int | pytest.ExitCode:
        folder, suite = self._exercise.folder, self._exercise.hidden_suite
        asks = any(task.question for task in self._exercise.tasks.values())
        suites = [str(suite), *([str(layout.QUESTION_SUITE)] if asks else [])]
        return pytest.main([*_OPTIONS, f"--rootdir={folder}", *suites], plugins=[self._plugin])

    def _unusable(self) -> ExerciseError:
        return ExerciseError(f"{self._exercise.hidden_suite}: pytest could not run it\n{self._plugin.fault}".rstrip())


@contextlib.contextmanager
def _own_environment() -> Iterator[None]:
    """Variables for pytest have no say inside, and what is set inside is gone afterwards."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("PYTEST"):
            del os.environ[name]
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


def _forget(suite: Path) -> None:
    """pytest would run the module it has loaded, also for another exercise or after the file has changed."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).name == suite.name and Path(file).resolve() == suite.resolve():
            del sys.modules[name]
