"""A function that waits in its middle: what goes in, what comes out, and that it stays in the caller's thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autograder.grading.resumable import Resumable


class Sum:
    """Adds up what it is given, three calls below the function, until it is given nothing."""

    def __init__(self) -> None:
        self.total = 0
        self.left: list[str] = []
        self.resumable: Resumable[int, str] = Resumable(self.run)

    def run(self) -> str:
        with self.noted():
            self.loop()
        return f"the sum is {self.total}"

    def loop(self) -> None:
        while number := self.resumable.wait():
            self.add(number)

    def add(self, number: int) -> None:
        self.total += 100 // (10 - number)

    @contextmanager
    def noted(self) -> Iterator[None]:
        try:
            yield
        finally:
            self.left.append("cleaned up")


def test_it_takes_one_input_after_the_other_and_gives_its_result_at_the_end() -> None:
    one = Sum()
    one.resumable.resume()
    for number, total in ((5, 20), (9, 120), (5, 140)):
        one.resumable.resume(number)
        assert (one.total, one.resumable.ended, one.resumable.result) == (total, False, None)
    one.resumable.resume()
    assert (one.resumable.ended, one.resumable.result, one.left) == (True, "the sum is 140", ["cleaned up"])


def test_nothing_happens_before_it_is_resumed() -> None:
    one = Sum()
    assert (one.resumable.ended, one.left) == (False, [])


def test_a_function_that_never_waits_ends_at_once() -> None:
    resumable: Resumable[None, int] = Resumable(lambda: 7)
    resumable.resume()
    assert (resumable.ended, resumable.result) == (True, 7)


def test_an_exception_comes_out_and_ends_it() -> None:
    one = Sum()
    one.resumable.resume()
    with pytest.raises(ZeroDivisionError):
        one.resumable.resume(10)
    assert (one.resumable.ended, one.resumable.result, one.left) == (True, None, ["cleaned up"])


def test_what_has_ended_cannot_be_resumed() -> None:
    resumable: Resumable[None, None] = Resumable(lambda: None)
    resumable.resume()
    with pytest.raises(RuntimeError, match="has ended"):
        resumable.resume()


def test_several_wait_at_once_and_one_may_resume_another() -> None:
    inner, other = Sum(), Sum()
    for one in (inner, other):
        one.resumable.resume()

    def pass_on() -> None:
        inner.resumable.resume(5)
        inner.resumable.resume(outer.wait())

    outer: Resumable[int, None] = Resumable(pass_on)
    outer.resume()
    other.resumable.resume(9)
    outer.resume(5)
    assert (inner.total, other.total, outer.ended) == (40, 100, True)


def test_it_runs_in_the_callers_thread_and_no_other_may_resume_it() -> None:
    threads = []

    def note() -> None:
        threads.append(threading.current_thread())
        resumable.wait()

    resumable: Resumable[None, None] = Resumable(note)
    resumable.resume()
    errors = []

    def resume() -> None:
        try:
            resumable.resume()
        except ValueError as error:
            errors.append(error)

    thread = threading.Thread(target=resume)
    thread.start()
    thread.join()
    assert threads == [threading.current_thread()]
    assert len(errors) == 1
    assert not resumable.ended


def test_a_signal_is_handled_inside_like_everywhere() -> None:
    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)

    resumable: Resumable[None, None] = Resumable(interrupt)
    with pytest.raises(KeyboardInterrupt):
        resumable.resume()
    assert resumable.ended
