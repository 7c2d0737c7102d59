"""The grader's handle on one student's process: asks it, holds it to its limits, and says how it ended.

It answers requests until it dies or breaks a limit, which is raised as `ProcessEnded` with the status that the
student's work gets for it.
"""

from __future__ import annotations

import logging
import math
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from autograder import wire
from autograder.exercise.definition import Limits
from autograder.report import Status

_log = logging.getLogger(__name__)
_POLL_SECONDS = 0.1
_LONGEST_STEP = 0.2  # seconds
_CALLS_BACK = 10_000  # in one call; more is a loop
_CALLS_BACK_MIB = 64  # of all their arguments, which a test may keep
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM)  # what a machine or its owner ends processes with
_MIB = 1 << 20


class ProcessEnded(Exception):
    """The student's process is no more. `status` is TIMEOUT or CRASHED, `reason` a sentence for the student.

    is_unexplained: whether a signal ended it that may have come from outside.
    """

    def __init__(self, status: Status, reason: str, is_unexplained: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.is_unexplained = is_unexplained


@dataclass(frozen=True)
class Exit:
    """How a process ended: by which signal (0: none), with which exit code, after how many seconds of CPU time.

    memory: MiB that it held at most, on top of what the warm parent holds. out_of_memory: whether the kernel ended it,
    or what it started, for that.
    """

    signal: int
    code: int
    cpu_seconds: float
    memory: float
    out_of_memory: bool


@dataclass(frozen=True)
class Usage:
    """What a living process has used: seconds of CPU time, and those that it could have used but had no processor."""

    cpu_seconds: float
    queued_seconds: float


class Stopwatch:
    """The limits of one cell or call: how long it computes, how long it waits, how often it calls functions of ours.

    What has no end reaches one of them, and which one hangs on the machine: so all have one status and one sentence.
    A slow machine takes nothing from anybody: the time in which the process has no processor is no waiting, nor is the
    time in which the grader has none, since a step of its clock is never longer than `_LONGEST_STEP`.

    functions: those of ours that the call was given. left: seconds that the submission may still wait in all.
    """

    def __init__(
        self, look: Callable[[], Usage], limits: Limits, functions: Sequence[object] = (), left: float = math.inf
    ) -> None:
        self._look = look
        self._limits = limits
        self._functions = functions
        self._left = left
        self._last_look = time.monotonic()
        self._first: Usage | None = None  # most calls end before it
        self._waited = 0.0
        self._queued = 0.0
        self._computed = 0.0
        self._calls_left = _CALLS_BACK
        self._room_left = _CALLS_BACK_MIB * _MIB

    def check(self) -> None:
        """Errors: ProcessEnded where a limit is passed. It looks at the processor's clock only now and then."""
        step = time.monotonic() - self._last_look
        if step < _POLL_SECONDS:
            return
        self._last_look += step
        self._waited += min(step, _LONGEST_STEP)
        used = self._look()
        self._first = self._first or used
        self._queued = used.queued_seconds - self._first.queued_seconds
        self._computed = used.cpu_seconds - self._first.cpu_seconds
        waited = self._waited - self._queued
        self._require(self._computed <= self._limits.cpu_seconds)
        self._require(waited <= self._limits.wall_seconds)
        if waited > self._left:
            raise used_up(self._limits)

    def waited(self) -> float:
        """The seconds for which the grader has waited, those left out that are the machine's."""
        return self._waited - self._queued + min(time.monotonic() - self._last_look, _LONGEST_STEP)

    def computed(self) -> float:
        """The CPU seconds of the process at most: before the first look and after the last one, those by the clock."""
        unseen = min(time.monotonic() - self._last_look, _LONGEST_STEP)
        return unseen if self._first is None else _POLL_SECONDS + self._computed + unseen

    def count_call_back(self, size: int) -> None:
        """size: bytes of its arguments. Errors: ProcessEnded where it is one call too many."""
        self._calls_left -= 1
        self._room_left -= size
        self._require(min(self._calls_left, self._room_left) >= 0)

    def _require(self, is_within: bool) -> None:
        if is_within:
            return
        after = f"{self._limits.cpu_seconds:g} seconds of computing or {self._limits.wall_seconds:g} seconds of waiting"
        if self._functions:
            after += f", or {_CALLS_BACK} calls ({_CALLS_BACK_MIB} MiB) of a function that it was given"
        raise ProcessEnded(Status.TIMEOUT, f"it was not done after {after}")


class StudentProcess:
    """One student's process. Every answer of it is hostile data."""

    def __init__(
        self,
        channel: socket.socket,
        limits: Limits,
        cpu_left: float,
        look: Callable[[], Usage],
        end: Callable[[], Exit],
    ) -> None:
        channel.setblocking(False)
        self._channel = channel
        self._limits = limits
        self._cpu_left = cpu_left
        self._look = look
        self._end = end
        self.ended: Exit | None = None

    def stopwatch(self, functions: Sequence[object] = (), left: float = math.inf) -> Stopwatch:
        """Start the limits of one cell or call; functions, left: as in `Stopwatch`."""
        return Stopwatch(self._look, self._limits, functions, left)

    def request(
        self,
        message: dict[str, Any],
        sender: wire.Sender,
        receiver: wire.Receiver,
        stopwatch: Stopwatch,
        note: wire.Note | None = None,
    ) -> Any:
        """Send `message` and wait for one answer.

        Errors: ProcessEnded, after which the process is gone; WireError where `message` cannot cross.
        """
        frame = wire.encode(message, sender)
        try:
            self._send(frame, stopwatch)
            return wire.receive(self._channel, receiver, lambda: self._wait(stopwatch, writing=False), note)
        except wire.WireError as error:
            raise self.broke_protocol(str(error)) from None
        except (EOFError, OSError):
            raise self._died() from None
        except ProcessEnded:
            self.close()
            raise

    def broke_protocol(self, how: str) -> ProcessEnded:
        """End the process for an answer that is none; the exception to raise."""
        self.close()
        return ProcessEnded(Status.CRASHED, f"the notebook's process answered with something that is no answer ({how})")

    def close(self) -> Exit:
        """End the process and all that it started, if they still live."""
        if self.ended is None:
            self._channel.close()
            ended = self.ended = self._end()
            how = (ended.signal, ended.code, ended.cpu_seconds, ended.memory)
            _log.info("a student's process is ended: signal %d, exit code %d, %.2f CPU seconds, %.0f MiB", *how)
        return self.ended

    def _send(self, frame: bytes, stopwatch: Stopwatch) -> None:
        view = memoryview(frame)
        while view:
            self._wait(stopwatch, writing=True)
            with suppress(BlockingIOError):
                view = view[self._channel.send(view) :]

    def _wait(self, stopwatch: Stopwatch, writing: bool) -> None:
        poll = select.poll()
        poll.register(self._channel, select.POLLOUT if writing else select.POLLIN)
        while True:
            ready = poll.poll(_POLL_SECONDS * 1000)
            stopwatch.check()
            if ready:
                return

    def _died(self) -> ProcessEnded:
        ended = self.close()
        is_unexplained = ended.signal in _FROM_OUTSIDE
        if ended.out_of_memory:  # counted by the kernel also where the machine's memory ran out, not the group's
            return out_of_memory(self._limits, is_unexplained)
        if ended.signal == signal.SIGKILL and ended.cpu_seconds > self._cpu_left:
            return used_up(self._limits)
        how = f"signal {ended.signal}" if ended.signal else f"exit code {ended.code}"
        return ProcessEnded(Status.CRASHED, f"it ended the notebook's process ({how})", is_unexplained)


def out_of_memory(limits: Limits, is_unexplained: bool = False) -> ProcessEnded:
    """It held so much that the kernel ended it, or that nothing is left for what comes after: the same to a student."""
    return ProcessEnded(Status.CRASHED, f"it used more memory than {limits.memory} MiB", is_unexplained)


def used_up(limits: Limits) -> ProcessEnded:
    """All cells and calls together took too long, whichever of the two limits of a submission it is."""
    computed, waited = f"{limits.total_cpu_seconds:g} seconds", f"{limits.total_wall_seconds:g} seconds"
    reason = f"the notebook was not done after {computed} of computing or {waited} of waiting in all"
    return ProcessEnded(Status.TIMEOUT, reason)
