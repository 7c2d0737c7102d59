"""Spreads work over processes that are warmed up once; what a process was doing when it ended comes back undone."""

from __future__ import annotations

import logging
import pickle
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Protocol, TypeVar

from autograder import startup
from autograder.inside.identity import die_with_parent

_AHEAD = 4  # jobs handed out for each process: none waits for work, and no more results than these are held

Job = TypeVar("Job")
Result = TypeVar("Result")
Job_ = TypeVar("Job_", contravariant=True)
Result_ = TypeVar("Result_", covariant=True)


class Bench(Protocol[Job_, Result_]):
    """What one process works with: it is set up once."""

    def work(self, job: Job_, /) -> Result_: ...

    def close(self) -> None: ...


def spread(
    jobs: Sequence[Job], processes: int, bench: Callable[..., Bench[Job, Result]], *arguments: Any
) -> Generator[tuple[Job, Result | None]]:
    """Each job with what `bench(*arguments).work(job)` gives, as they are done; None where the process ended.

    One process is this one. For more, all of these are pickled, and each process makes a bench of its own.
    """
    processes = min(processes, len(jobs))
    if processes == 0:
        return
    if processes == 1:
        with closing(bench(*arguments)) as here:
            for job in jobs:
                yield job, here.work(job)
        return
    crew = _Crew(processes, pickle.dumps((bench, arguments)))
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
    """The processes; new ones where one has ended and taken the others with it. kit: what each begins with, pickled."""

    def __init__(self, processes: int, kit: bytes) -> None:
        self._processes = processes
        self._kit = logging.getLogger("autograder").isEnabledFor(logging.DEBUG), kit
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
        return ProcessPoolExecutor(self._processes, self._context, _start, self._kit)


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


# From here on everything runs in the processes.

_log_here = ExitStack()  # for as long as the process lives
_bench: Bench[Any, Any] | None = None


def _start(verbose: bool, kit: bytes) -> None:
    """The kit is unpickled here, and not before: what it loads comes after what is said first."""
    global _bench
    startup.skip_unused_grammar()  # before nbformat comes
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    _log_here.enter_context(startup.log_to_stderr(verbose))
    bench, arguments = pickle.loads(kit)
    _bench = bench(*arguments)


def _work(job: Any) -> Any:
    assert _bench is not None
    return _bench.work(job)
