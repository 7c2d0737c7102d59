"""Spreads work over processes that are warmed up once; what a process was doing when it ended comes back undone."""

from __future__ import annotations

import logging
import pickle
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, TypeVar

from autograder import startup
from autograder.inside.identity import die_with_parent

_AHEAD = 4  # jobs handed out for each worker: none waits for work, and no more results than these are held

Job = TypeVar("Job")
Result = TypeVar("Result")


def spread(
    jobs: Sequence[Job], processes: int, work: Callable[[Any, Job], Result], start: Callable[..., Any], *arguments: Any
) -> Generator[tuple[Job, Result | None]]:
    """Each job with `work(tools, job)`, as they are done; None where the process ended.

    tools: what `start(*arguments)` returns, once in each process. All of these are pickled.
    """
    if not jobs:
        return
    processes = min(processes, len(jobs))
    crew = _Crew(processes, (work, start, arguments))
    try:
        for job, future in slide(jobs, crew.submit, lambda: processes):
            yield job, _result(future)
    finally:  # after an interruption it would work off what is left
        crew.dismiss()


def slide(
    jobs: Iterable[Job], submit: Callable[[Job], Future[Result]], workers: Callable[[], int]
) -> Iterator[tuple[Job, Future[Result]]]:
    """Each job with its future, as they are done: so few at once that memory stays flat, each taken when it is due.

    workers: how many there are at the moment; without any, jobs wait for the first.
    """
    left = iter(jobs)
    running: dict[Future[Result], Job] = {}
    while True:
        for job in islice(left, max(0, _AHEAD * max(1, workers()) - len(running))):
            running[submit(job)] = job
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future


class _Crew:
    """The processes; new ones where one has ended and taken the others with it."""

    def __init__(self, processes: int, tools: tuple[Any, ...]) -> None:
        self._processes = processes
        self._tools = (logging.getLogger("autograder").isEnabledFor(logging.DEBUG), pickle.dumps(tools))
        self._context = _Context()
        self._executor = self._hire()

    def submit(self, job: Any) -> Future[Any]:
        try:
            return self._executor.submit(_work, job)
        except BrokenProcessPool:
            self._executor = self._hire()
            return self._executor.submit(_work, job)

    def dismiss(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in self._context.started:
            if process.pid:
                process.terminate()

    def _hire(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._processes, self._context, _start, self._tools)


class _Context(SpawnContext):
    """It knows the processes that it has started; this process may have other children."""

    def __init__(self) -> None:
        self.started: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*arguments, **options)
        self.started.append(process)
        return process


def _result(future: Future[Result]) -> Result | None:
    try:
        return future.result()
    except BrokenProcessPool:
        return None


_log_here = ExitStack()  # for as long as the process lives
_work_with_tools: Callable[[Any], Any] | None = None


def _start(verbose: bool, pickled: bytes) -> None:
    global _work_with_tools
    startup.skip_unused_grammar()  # before the tools come, and nbformat with them
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    _log_here.enter_context(startup.log_to_stderr(verbose))
    work, start, arguments = pickle.loads(pickled)
    tools = start(*arguments)
    _work_with_tools = lambda job: work(tools, job)  # noqa: E731


def _work(job: Any) -> Any:
    assert _work_with_tools is not None
    return _work_with_tools(job)
