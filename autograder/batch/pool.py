"""Spreads work over processes that are warmed up once; what a process was doing when it ended comes back undone."""

from __future__ import annotations

import logging
import pickle
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Protocol, TypeVar

from autograder import startup
from autograder.errors import ConfigError
from autograder.inside import leftovers
from autograder.inside.identity import die_with_parent

_AHEAD = 4  # jobs handed out for each process: none waits for work, and no more results than these are held
_MOST_ENDED = 2  # processes that one job may end
_MOST_STARTS = 3  # in a row that fail
_SECONDS_TO_END = 10.0

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
    """Each job with what `bench(*arguments).work(job)` gives, as they are done; None where it has ended two processes.

    A job that was in hand when a process ended is tried once more, in a process that does nothing else; those that
    waited go to others. One process is this one. For more, all of these are pickled, and each process makes a bench of
    its own.
    Errors: ConfigError where a process ends before it can do anything.
    """
    processes = min(processes, len(jobs))
    if processes == 0:
        return
    if processes == 1:
        with closing(bench(*arguments)) as here:
            for job in jobs:
                yield job, here.work(job)
        return
    verbose = logging.getLogger("autograder").isEnabledFor(logging.DEBUG)
    crew = _Crew(processes, (verbose, pickle.dumps((bench, arguments))))
    try:
        yield from crew.results(jobs)
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


@dataclass
class _Errand:
    """One job, and how many processes it has ended."""

    job: Any
    ended: int = 0


class _Crew:
    """The processes, each for itself: where one ends, no other is touched. kit: what `_start` takes in each."""

    def __init__(self, processes: int, kit: tuple[bool, bytes]) -> None:
        self._context = _Context()
        self._desks = [_Desk(self._context, kit) for _ in range(processes)]
        self._returned: deque[_Errand] = deque()  # they only waited
        self._suspects: deque[_Errand] = deque()  # each ended a process

    def results(self, jobs: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        left = (_Errand(job) for job in jobs)
        while True:
            for desk in self._desks:
                self._hand_out(desk, left)
            given = {future: desk for desk in self._desks for future in desk.given}
            if not given:
                return
            for future in wait(given, return_when=FIRST_COMPLETED).done:
                if future in given[future].given:  # not given back with another one
                    yield from self._taken(given[future], future)

    def dismiss(self) -> None:
        for desk in self._desks:
            desk.close()
        for process in self._context.started:
            if process.pid:
                process.terminate()
        for process in self._context.started:
            if process.pid:
                process.join(_SECONDS_TO_END)
        leftovers.sweep()  # what they had no time to remove

    def _hand_out(self, desk: _Desk, left: Iterator[_Errand]) -> None:
        if self._suspects and not desk.given:
            desk.give(self._suspects.popleft())
        while len(desk.given) < _AHEAD and not any(errand.ended for errand in desk.given.values()):
            errand = self._returned.popleft() if self._returned else next(left, None)
            if errand is None:
                return
            desk.give(errand)

    def _taken(self, desk: _Desk, future: Future[Any]) -> Iterator[tuple[Any, Any]]:
        try:
            result = future.result()
        except BrokenProcessPool:
            in_hand, waited = desk.give_back()
            if in_hand:
                in_hand.ended += 1
                if in_hand.ended == _MOST_ENDED:
                    yield in_hand.job, None
                else:
                    waited.append(in_hand)
            for errand in waited:
                (self._suspects if errand.ended else self._returned).append(errand)
        else:
            yield desk.given.pop(future).job, result


class _Desk:
    """One process, and the errands that it has, the one in hand first."""

    def __init__(self, context: SpawnContext, kit: tuple[bool, bytes]) -> None:
        self._context = context
        self._kit = kit
        self._executor: ProcessPoolExecutor | None = None
        self._ready: Future[None] | None = None
        self._starts_left = _MOST_STARTS
        self.given: dict[Future[Any], _Errand] = {}

    def give(self, errand: _Errand) -> None:
        try:
            future = self._hired().submit(_work, errand.job)
        except BrokenProcessPool:  # it has ended since, with nothing in hand
            self.close()
            future = self._hired().submit(_work, errand.job)
        self.given[future] = errand

    def give_back(self) -> tuple[_Errand | None, list[_Errand]]:
        """The process has ended: what it had in hand, if it had started, and what waited.

        Errors: ConfigError where none starts.
        """
        assert self._ready
        self.close()
        errands = [self.given.pop(future) for future in list(self.given) if future.exception()]
        if not self._ready.exception():
            self._starts_left = _MOST_STARTS
            return errands[0], errands[1:]
        self._starts_left -= 1
        if self._starts_left == 0:
            raise ConfigError("a process of the grader's ended as it started; if memory is short, try --jobs 1")
        return None, errands

    def close(self) -> None:
        if self._executor:
            self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = None

    def _hired(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(1, self._context, _start, self._kit)
            self._ready = self._executor.submit(_be_ready)
        return self._executor


class _Context(SpawnContext):
    """It knows the processes that it has started; this process may have other children."""

    def __init__(self) -> None:
        self.started: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*arguments, **options)
        self.started.append(process)
        return process


# From here on everything runs in the processes.

_log_here = ExitStack()  # for as long as the process lives
_bench: Bench[Any, Any] | None = None
_fault: Exception | None = None  # of its making


def _start(verbose: bool, kit: bytes) -> None:
    """The kit is unpickled here, and not before: what it loads comes after what is said first."""
    global _bench, _fault
    startup.skip_unused_grammar()  # before nbformat comes
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    _log_here.enter_context(startup.log_to_stderr(verbose))
    try:
        bench, arguments = pickle.loads(kit)
        _bench = bench(*arguments)
    except Exception as error:
        _fault = error


def _be_ready() -> None:
    """Nothing: a process that answers this has started."""


def _work(job: Any) -> Any:
    if _fault:
        raise _fault
    assert _bench is not None
    return _bench.work(job)
