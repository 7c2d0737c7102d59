"""Work spread over processes: all of it is done, with tools made once in each, and a death takes little with it."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Iterator

import pytest
from nbformat import NotebookNode

from autograder.batch.pool import spread


class Notes:
    """A bench that says what it has seen."""

    def __init__(self, word: str, closed: list[str] | None = None) -> None:
        self._word = word
        self._seen: list[int] = []
        self._closed = [] if closed is None else closed

    def work(self, job: int) -> tuple[str, int, int]:
        self._seen.append(job)
        return self._word, os.getpid(), len(self._seen)

    def close(self) -> None:
        self._closed.append(self._word)


class EndsAtThree(Notes):
    def work(self, job: int) -> int:  # type: ignore[override]
        if job == 3:
            os._exit(1)
        time.sleep(0.01)
        return job


class Fails(Notes):
    def work(self, job: int) -> int:  # type: ignore[override]
        raise KeyError(job)


class GrammarIsLoaded(Notes):
    def __init__(self, notebook: NotebookNode) -> None:
        super().__init__("")

    def work(self, job: int) -> bool:  # type: ignore[override]
        return "jsonschema" in sys.modules and "lark" in sys.modules


def test_every_job_is_done_once_with_tools_that_stay() -> None:
    done = list(spread(range(30), 2, Notes, "tools"))
    assert sorted(job for job, _ in done) == list(range(30))
    results = [result for _, result in done if result]
    assert {word for word, _, _ in results} == {"tools"}
    processes = {process for _, process, _ in results}
    assert len(processes) <= 2
    assert os.getpid() not in processes
    assert max(count for _, _, count in results) >= 15


def test_a_process_that_ends_takes_the_jobs_in_hand_with_it_and_no_others() -> None:
    done = dict(spread(range(30), 2, EndsAtThree, ""))
    assert sorted(done) == list(range(30))
    lost = {job for job, result in done.items() if result is None}
    assert 3 in lost
    assert len(lost) <= 8
    assert all(result == job for job, result in done.items() if job not in lost)


def test_what_a_process_is_given_brings_nbformat_without_its_unused_grammar() -> None:
    done = dict(spread([1, 2], 2, GrammarIsLoaded, NotebookNode()))
    assert done == {1: False, 2: False}


@pytest.mark.parametrize("processes", [1, 2])
def test_an_exception_is_ours_and_ends_it_all(processes: int) -> None:
    with pytest.raises(KeyError):
        list(spread([1, 2], processes, Fails, ""))


@pytest.mark.parametrize(("jobs", "processes"), [([1, 2, 3], 1), ([1], 2)])
def test_a_single_process_is_this_one_and_its_bench_is_put_away(jobs: list[int], processes: int) -> None:
    closed: list[str] = []
    done = list(spread(jobs, processes, Notes, "here", closed))
    assert done == [(job, ("here", os.getpid(), number)) for number, job in enumerate(jobs, start=1)]
    assert closed == ["here"]


def test_the_bench_here_is_put_away_where_nobody_wants_the_rest() -> None:
    closed: list[str] = []
    results = spread([1, 2, 3], 1, Notes, "here", closed)
    next(results)
    results.close()
    assert closed == ["here"]


def test_jobs_are_taken_as_they_can_be_done_and_no_earlier() -> None:
    """A thousand submissions are never in memory at the same time."""
    taken: list[int] = []

    class Jobs(list[int]):
        def __iter__(self) -> Iterator[int]:
            for job in range(100):
                taken.append(job)
                yield job

    for number, _ in enumerate(spread(Jobs([0] * 100), 2, Notes, ""), start=1):
        assert len(taken) <= number + 8


def test_no_jobs_start_no_process() -> None:
    assert list(spread([], 2, Notes, "")) == []


def test_processes_of_others_are_left_alone() -> None:
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    other.start()
    assert dict(spread([1, 2], 2, EndsAtThree, "")) == {1: 1, 2: 2}
    assert other.is_alive()
    other.kill()
    other.join(10)
