"""What this package relies on in Python's own pools of processes; another Python is to fail here first."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

import pytest


def end(_: object) -> None:
    os._exit(1)


class Noting(SpawnContext):
    """A context whose processes are known, as `pool` has one."""

    def __init__(self) -> None:
        self.started: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]
        self.started.append(SpawnProcess(*arguments, **options))
        return self.started[-1]


def test_a_pool_starts_its_processes_through_the_context_that_it_is_given() -> None:
    context = Noting()
    with ProcessPoolExecutor(1, context) as pool:
        pid = pool.submit(os.getpid).result()
    assert [process.pid for process in context.started] == [pid]


def test_a_pool_whose_process_ends_is_broken_for_all_and_for_good() -> None:
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(1, Noting()) as pool:
        futures = [pool.submit(end, None), pool.submit(os.getpid)]
        for future in futures:
            with pytest.raises(BrokenProcessPool):
                future.result()
        with pytest.raises(BrokenProcessPool):
            pool.submit(os.getpid)
