"""Work spread over processes: all of it is done, with tools made once in each, and a death takes little with it."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from nbformat import NotebookNode

from autograder.batch.pool import spread
from autograder.errors import ConfigError


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


class Ends(Notes):
    def __init__(self, deadly: set[int]) -> None:
        super().__init__("")
        self._deadly = deadly

    def work(self, job: int) -> int:  # type: ignore[override]
        if job in self._deadly:
            os._exit(1)
        time.sleep(0.01)
        return job


class EndsOnce(Notes):
    def __init__(self, ended: Path) -> None:
        super().__init__("")
        self._ended = ended

    def work(self, job: int) -> int:  # type: ignore[override]
        if job % 4 == 1 and not (self._ended / str(job)).exists():
            (self._ended / str(job)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return job


class Slow(Notes):
    def __init__(self) -> None:
        super().__init__("")

    def work(self, job: int) -> int:  # type: ignore[override]
        time.sleep(0.05)
        return job


class EndsAsItStarts(Notes):
    def __init__(self) -> None:
        os._exit(1)


class CannotBeMade(Notes):
    def __init__(self) -> None:
        raise ConfigError("not here")


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


@pytest.mark.parametrize(
    "deadly",
    [{3, 4, 5}, *(pytest.param(one, marks=pytest.mark.slow) for one in ({3}, {0}, {29}, set(range(0, 30, 7))))],
)
def test_what_ends_a_process_costs_nobody_else_anything(deadly: set[int]) -> None:
    done = list(spread(range(30), 3, Ends, deadly))
    assert sorted(job for job, _ in done) == list(range(30))
    assert dict(done) == {job: None if job in deadly else job for job in range(30)}


def test_what_ends_a_process_by_bad_luck_is_tried_again(tmp_path: Path) -> None:
    assert dict(spread(range(12), 2, EndsOnce, tmp_path)) == {job: job for job in range(12)}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "5", "9"]


def test_processes_that_somebody_kills_lose_nothing() -> None:
    """As the machine's out-of-memory killer does, at any moment."""
    moments = random.Random(0)
    results = spread(range(60), 3, Slow)
    done = [next(results)]
    for _ in range(6):
        time.sleep(moments.uniform(0, 0.2))
        living = [one for one in psutil.Process().children() if "spawn_main" in " ".join(one.cmdline())]
        if living:
            moments.choice(living).kill()
        done.append(next(results))
    done += results
    assert sorted(job for job, _ in done) == list(range(60))
    assert [job for job, result in done if result != job] == []


def test_a_process_that_ends_as_it_starts_is_a_sentence_and_no_hang() -> None:
    with pytest.raises(ConfigError, match="ended as it started"):
        list(spread(range(4), 2, EndsAsItStarts))


def test_a_fault_in_making_a_bench_is_raised_as_it_is() -> None:
    with pytest.raises(ConfigError, match="not here"):
        list(spread(range(4), 2, CannotBeMade))


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
    assert dict(spread([1, 2], 2, Ends, set())) == {1: 1, 2: 2}
    assert other.is_alive()
    other.kill()
    other.join(10)
