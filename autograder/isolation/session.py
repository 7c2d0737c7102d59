"""One submission's life in its own processes: runs the cells, then answers the hidden tests' requests.

Where a cell or a call ends the process, a new one is started and the other cells are run again, so that nothing but
what ended it is lost.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

import msgspec

from autograder import wire
from autograder.errors import SandboxError
from autograder.exercise.definition import Limits
from autograder.isolation.disturbances import Disturbances
from autograder.isolation.outputs import Outputs
from autograder.isolation.process import ProcessEnded, StudentProcess, out_of_memory, used_up
from autograder.isolation.replies import Answer, AnyReply, Callback, Done, Raised, Ran
from autograder.isolation.sandbox import Sandbox
from autograder.report import Finding, Status
from autograder.scrub import plain_line, scrub
from autograder.submission.notebook import Cell, Role
from autograder.values import Handle

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_SMALLEST = 8  # bytes of an entry of a list
_TEXT = 4000  # characters of a message


@dataclass
class Cost:
    """What a submission has taken so far.

    cpu_seconds, wall_seconds: in all. slowest: of a cell or call, in seconds. memory: MiB at most. output: MiB in all.
    """

    cpu_seconds: float = 0.0
    slowest: float = 0.0
    memory: float = 0.0
    wall_seconds: float = 0.0
    output: float = 0.0


@dataclass
class CellResult:
    """What one code cell did: nbformat outputs, and how it ended the process if it did."""

    number: int
    outputs: list[dict[str, Any]] = field(default_factory=list)
    ended: ProcessEnded | None = None


class Session:
    """Runs `cells` on creation, then the given ones once more; `runs` has what each code cell did, by its index.

    `cost` is complete once it is closed. files: texts that lie in the working folder, by name. Use as a context
    manager.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, cells: tuple[Cell, ...], files: dict[str, str]) -> None:
        self._sandbox = sandbox
        self._limits = limits
        self._cells = cells
        self._files = files
        self._starts_left = limits.restarts + 1
        self.cost = Cost()
        self._waited = 0.0
        self._outputs = Outputs(limits)
        self._disturbances = Disturbances()
        self._process: StudentProcess | None = None
        self._last_end: ProcessEnded | None = None
        self._at_start: tuple[float, float, ProcessEnded | None] = (0.0, 0.0, None)
        code = [index for index, cell in enumerate(cells) if cell.kind == "code"]
        # Numbered as a notebook numbers them that is run from top to bottom.
        self.runs = {index: CellResult(number) for number, index in enumerate(code, start=1) if cells[index].runs}
        with suppress(ProcessEnded):  # a notebook that ends every process: each request will say so
            self._revive()

    def request(self, message: dict[str, Any]) -> Answer:
        """Ask the student's process something.

        Errors: ProcessEnded where this ended the process, or where there is none any more.
        """
        process = self._revive()
        try:
            reply = self._converse(process, message)
            if not isinstance(reply, Answer):
                raise process.broke_protocol("a wrong kind of answer")
        except ProcessEnded as ended:
            self._bury(process, ended)
            raise
        except wire.WireError:  # a value of ours that cannot cross; the process may wait for it in vain
            self.close()
            raise
        return reply

    def excuses(self, place: Hashable) -> bool:
        """Whether the last end, which was at `place`, is taken as one from outside: then it has cost nothing.

        A place is the same where the student's code would have done the same.
        """
        if not (self._last_end and self._last_end.is_unexplained and self._disturbances.excuse(place)):
            return False
        self._starts_left += 1
        self._waited, self.cost.cpu_seconds, self._last_end = self._at_start
        return True

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to say of the submission as a whole, beside what its cells came to."""
        found = []
        over, ended = used_up(self._limits), [run.ended for run in self.runs.values()]
        if self._last_end not in ended and str(self._last_end) == str(over):
            found.append(Finding(str(over.status), over.reason))
        if self._outputs.is_cut:
            most = self._outputs.most
            found.append(Finding("output", f"all outputs together are more than {most}; those beyond were left out"))
        if self._disturbances.count:
            found.append(Finding("disturbed", _times_disturbed(self._disturbances.count)))
        return tuple(found)

    def close(self) -> None:
        if self._process:
            self._part_with(self._process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _revive(self) -> StudentProcess:
        """The living process, with all cells run that can be."""
        while self._process is None:
            if self._starts_left == 0 or self._is_used_up():
                status = self._last_end.status if self._last_end else Status.TIMEOUT
                raise ProcessEnded(status, "not run: the notebook had ended its process too often or used up its time")
            self._starts_left -= 1
            self._at_start = (self._waited, self.cost.cpu_seconds, self._last_end)
            self._process = self._sandbox.start(self._limits, self._limits.total_cpu_seconds - self.cost.cpu_seconds)
            self._hand_out_files(self._process)
            self._play(self._process)
        return self._process

    def _hand_out_files(self, process: StudentProcess) -> None:
        """Nothing of the student's has run yet, so a failure is ours."""
        try:
            message = {"do": "files", "texts": self._files}
            reply = _understood(process, process.request(message, _Sender([]), incoming, process.stopwatch()))
        except ProcessEnded as ended:
            raise SandboxError(f"the working folder could not be laid out: {ended.reason}") from None
        if not isinstance(reply, Done):
            raise SandboxError(f"the working folder could not be laid out: {reply}")

    def _play(self, process: StudentProcess) -> None:
        index = -1
        try:
            for index, cell in enumerate(self._cells):
                self._play_cell(process, index, cell)
            for index, cell in enumerate(self._cells):
                if cell.role is Role.GIVEN:  # what the course gave is in force again, whatever a later cell rebound
                    self._play_cell(process, index, cell)
        except ProcessEnded as ended:
            self._bury(process, ended)
            if not self.excuses(index) and index in self.runs:
                self.runs[index].ended = ended

    def _play_cell(self, process: StudentProcess, index: int, cell: Cell) -> None:
        if cell.role is Role.GRADE:
            self._converse(process, {"do": "mark", "task": cell.name})
        run = self.runs.get(index)
        if run is None or run.ended:
            return
        room = self._limits.output * _MIB
        reply = self._converse(process, {"do": "run", "source": cell.source, "number": run.number, "output": room})
        if not isinstance(reply, Ran):
            raise process.broke_protocol("a wrong kind of answer")
        run.outputs = run.outputs or self._outputs.presentable(reply.outputs)
        if reply.exhausted:  # what it holds would be missing from every later cell
            raise out_of_memory(self._limits)

    def _converse(self, process: StudentProcess, message: dict[str, Any]) -> AnyReply:
        start = time.monotonic()
        try:
            return self._exchange(process, message)
        finally:
            self.cost.slowest = max(self.cost.slowest, time.monotonic() - start)

    def _exchange(self, process: StudentProcess, message: dict[str, Any]) -> AnyReply:
        if self._is_used_up():  # by many that were too short for a stopwatch to look at
            process.close()
            raise used_up(self._limits)
        callbacks: list[Callable[..., Any]] = []
        sender = _Sender(callbacks)
        stopwatch = process.stopwatch(callbacks, self._limits.total_wall_seconds - self._waited)
        try:
            while True:
                reply = _understood(process, process.request(message, sender, incoming, stopwatch))
                if not isinstance(reply, Callback):
                    return reply
                stopwatch.count_call_back(_size(reply.arguments))
                message = _call_back(reply, callbacks)
        finally:
            self._waited += stopwatch.waited()

    def _is_used_up(self) -> bool:
        return (
            self.cost.cpu_seconds >= self._limits.total_cpu_seconds or self._waited >= self._limits.total_wall_seconds
        )

    def _bury(self, process: StudentProcess, ended: ProcessEnded) -> None:
        self._part_with(process)
        self._last_end = ended
        _log.info("%s: %s; %d restarts left", ended.status, plain_line(ended.reason), self._starts_left)

    def _part_with(self, process: StudentProcess) -> None:
        end = process.close()
        self.cost.cpu_seconds += end.cpu_seconds
        self.cost.memory = max(self.cost.memory, end.memory)
        self.cost.wall_seconds, self.cost.output = self._waited, self._outputs.used
        self._process = None


def _times_disturbed(count: int) -> str:
    return f"its process was ended from outside {'once' if count == 1 else f'{count} times'} and started again"


class _Sender:
    """Handles go back by number; a function becomes a callback."""

    def __init__(self, callbacks: list[Callable[..., Any]]) -> None:
        self._callbacks = callbacks

    def __call__(self, value: object) -> list[Any] | None:
        if isinstance(value, Handle):
            return ["handle", value.number]
        if callable(value):
            self._callbacks.append(value)
            return ["callback", len(self._callbacks) - 1]
        return None


def incoming(tag: str, arguments: list[Any]) -> Handle:
    """What a student's process sends in the place of a value that stays there."""
    match tag, arguments:
        case "handle", [int(number), str(type_name)]:
            return Handle(number, scrub(type_name[:100]))
    raise wire.WireError("an unknown tag")


def _call_back(asked: Callback, callbacks: list[Callable[..., Any]]) -> dict[str, Any]:
    """The answer to a student's call of a function of ours; its failure is data for the student's code."""
    if not 0 <= asked.number < len(callbacks):
        return {"error": "there is no such function"}
    try:
        return {"value": callbacks[asked.number](*asked.arguments)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _size(value: Any) -> int:
    """Bytes that a value from a student's process takes here, at least."""
    match value:
        case dict():
            return _size([*value, *value.values()])
        case list() | tuple():
            return _SMALLEST * len(value) + sum(map(_size, value))
        case str():
            return len(value)
    return int(getattr(value, "nbytes", 0))


def _understood(process: StudentProcess, raw: Any) -> AnyReply:
    try:
        reply: AnyReply = msgspec.convert(raw, AnyReply)
    except Exception:  # arrays and handles answer the converter's questions with exceptions of many kinds
        raise process.broke_protocol("a wrong kind of answer") from None
    if isinstance(reply, Raised):
        return Raised(reply.type[:_TEXT], reply.message[:_TEXT], reply.where[:_TEXT])
    return reply
