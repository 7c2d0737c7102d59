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


def make_tools(word: str) -> tuple[str, list[int]]:
    return word, []


def note(tools: tuple[str, list[int]], job: int) -> tuple[str, int, int]:
    word, seen = tools
    seen.append(job)
    return word, os.getpid(), len(seen)


def end_at_three(_: object, job: int) -> int:
    if job == 3:
        os._exit(1)
    time.sleep(0.01)
    return job


def fail(_: object, job: int) -> int:
    raise KeyError(job)


def grammar_is_loaded(_: object, job: NotebookNode) -> bool:
    return "jsonschema" in sys.modules and "lark" in sys.modules


def test_every_job_is_done_once_with_tools_that_stay() -> None:
    done = list(spread(range(30), 2, note, make_tools, "tools"))
    assert sorted(job for job, _ in done) == list(range(30))
    results = [result for _, result in done if result]
    assert {word for word, _, _ in results} == {"tools"}
    processes = {process for _, process, _ in results}
    assert len(processes) <= 2
    assert os.getpid() not in processes
    assert max(count for _, _, count in results) >= 15


def test_a_process_that_ends_takes_the_jobs_in_hand_with_it_and_no_others() -> None:
    done = dict(spread(range(30), 1, end_at_three, make_tools, ""))
    assert sorted(done) == list(range(30))
    lost = {job for job, result in done.items() if result is None}
    assert 3 in lost
    assert len(lost) <= 4
    assert all(result == job for job, result in done.items() if job not in lost)


def test_the_tools_of_a_process_bring_nbformat_without_its_unused_grammar() -> None:
    ((_, loaded),) = spread([NotebookNode()], 1, grammar_is_loaded, make_tools, NotebookNode())
    assert loaded is False


def test_an_exception_is_ours_and_ends_it_all() -> None:
    with pytest.raises(KeyError):
        list(spread([1], 1, fail, make_tools, ""))


def test_jobs_are_taken_as_they_can_be_done_and_no_earlier() -> None:
    """A thousand submissions are never in memory at the same time."""
    taken: list[int] = []

    class Jobs(list[int]):
        def __iter__(self) -> Iterator[int]:
            for job in range(100):
                taken.append(job)
                yield job

    for number, _ in enumerate(spread(Jobs([0] * 100), 2, note, make_tools, ""), start=1):
        assert len(taken) <= number + 8


def test_no_jobs_start_no_process() -> None:
    assert list(spread([], 2, note, make_tools, "")) == []


def test_processes_of_others_are_left_alone() -> None:
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    other.start()
    assert dict(spread([1, 2], 1, end_at_three, make_tools, "")) == {1: 1, 2: 2}
    assert other.is_alive()
    other.kill()
    other.join(10)
