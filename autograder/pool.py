"""Spreads work over processes that are warmed up once; what a process was doing when it ended comes back undone."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from autograder.inside.identity import die_with_parent

Job = TypeVar("Job")
Result = TypeVar("Result")


def spread(
    jobs: Sequence[Job], processes: int, work: Callable[[Any, Job], Result], start: Callable[..., Any], *arguments: Any
) -> Iterator[tuple[Job, Result | None]]:
    """Each job with `work(tools, job)`, as they are done; None where the process ended.

    tools: what `start(*arguments)` returns, once in each process. All of these are pickled.
    """
    if not jobs:
        return
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(min(processes, len(jobs)), context, _start, (work, start, arguments))
    try:
        futures = {executor.submit(_work, job): job for job in jobs}
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:
                yield futures[future], None
    finally:  # after an interruption the pool would work off what is left
        executor.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


_work_with_tools: Callable[[Any], Any] | None = None


def _start(work: Callable[[Any, Any], Any], start: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    global _work_with_tools
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    logging.disable(logging.INFO)
    tools = start(*arguments)
    _work_with_tools = lambda job: work(tools, job)  # noqa: E731


def _work(job: Any) -> Any:
    assert _work_with_tools is not None
    return _work_with_tools(job)
