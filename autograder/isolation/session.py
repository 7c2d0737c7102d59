"""One submission's life in its own processes: runs the cells, then answers the hidden tests' requests.

Where a cell or a call ends the process, a new one is started and the other cells are run again, so that nothing but
what ended it is lost. The names that the notebook defines are kept as they stand at each grade cell, under the name of
its task, and at the end, under `FINAL`: each of these states can be asked.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import msgspec
import numpy as np
from msgspec.structs import replace

from autograder import wire
from autograder.errors import SandboxError
from autograder.exercise.definition import Limits
from autograder.isolation.callbacks import Function, HandleType, Sender, answer, incoming, size_of
from autograder.isolation.disturbances import Disturbances
from autograder.isolation.origins import Origins
from autograder.isolation.outputs import Outputs
from autograder.isolation.process import ProcessEnded, StudentProcess, out_of_memory, used_up
from autograder.isolation.replies import Answer, AnyReply, Callback, Changed, Done, Note, Raised, Ran
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.unavailable import Unavailable
from autograder.report import Finding, Status
from autograder.scrub import plain_line
from autograder.submission.modules import importing_nothing
from autograder.submission.notebook import Cell, Role
from autograder.values import Handle

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_TEXT = 4000  # characters of a message
_MOST_NOTES = 1000

FINAL = ""  # no task's name: the state after the last cell
_NONE: Mapping[str, Function] = MappingProxyType({})


@dataclass(kw_only=True)
class Cost:
    """What a submission has taken so far.

    cpu_seconds, wall_seconds: in all. slowest: CPU seconds of the dearest cell or call, some tenth too many at most.
    memory: MiB at most. output: MiB in all.
    """

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    slowest: float = 0.0
    memory: float = 0.0
    output: float = 0.0


def dearest(costs: Iterable[Cost]) -> Cost:
    """The most of each."""
    found = [vars(cost) for cost in costs]
    return Cost(**{name: max((one[name] for one in found), default=0.0) for name in vars(Cost())})


@dataclass
class CellResult:
    """What one code cell did: nbformat outputs, what it raised, and how it ended the process, if it did.

    is_done: whether it was run to its end. has_exited: whether that was `sys.exit`. is_incomplete: whether some of its
    outputs, or a shell command in it, was left out.
    """

    number: int
    outputs: list[dict[str, Any]] = field(default_factory=list)
    error: Raised | None = None
    ended: ProcessEnded | None = None
    is_done: bool = False
    has_exited: bool = False
    is_incomplete: bool = False


@dataclass(frozen=True)
class Surroundings:
    """What a notebook finds that expects to be run in its own folder.

    files: what lies in the working folder or in folders below it, and may be written to. variables: of the environment.
    """

    files: Mapping[str, bytes]
    variables: Mapping[str, str]


class _BrokenByACell(ProcessEnded):
    """Some cell has broken what runs them; the next process finds out which."""


class Session:
    """Runs `cells` on creation; `runs` has what each code cell did, by its index.

    `cost` is complete once it is closed. files: what lies in the working folder, by name, read-only. stand_ins:
    functions of ours that answer, once the cells have run, for the notebook's own of these names. values: by task, what
    names stand for from its grade cell on, stand-ins among them. unused: the names of files that were handed in beside
    the notebook and are not there. guarded: dotted names of libraries' functions; `notes` has where the student's
    process says that cells have called them. Use as a context manager.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        limits: Limits,
        cells: tuple[Cell, ...],
        files: Mapping[str, bytes],
        stand_ins: Mapping[str, Function] = _NONE,
        values: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
        *,
        unused: Collection[str] = (),
        guarded: Collection[str] = (),
        surroundings: Surroundings | None = None,
    ) -> None:
        self.cells = cells
        self.unused = unused
        self._sandbox = sandbox
        self._limits = limits
        self._files = files
        self._modules = {cell.file: cell.code for cell in cells if cell.file}
        self._surroundings = surroundings
        self._stand_ins = stand_ins
        self._values = values
        self._guarded = guarded
        self.notes: set[Note] = set()
        self._origins = Origins()
        self._is_fresh = True
        self._probes_each_cell = False
        self._unavailable = Unavailable(unused)
        self._starts_left = limits.restarts + 1
        self.cost = Cost()
        self._outputs = Outputs(limits)
        self._disturbances = Disturbances()
        self._process: StudentProcess | None = None
        self._last_end: ProcessEnded | None = None
        self._at_start: tuple[float, float, ProcessEnded | None] = (0.0, 0.0, None)
        code = [index for index, cell in enumerate(cells) if cell.kind == "code" and not cell.file]
        # Numbered as a notebook numbers them that is run from top to bottom.
        self.runs = {index: CellResult(number) for number, index in enumerate(code, start=1) if cells[index].runs}
        with suppress(ProcessEnded):  # a notebook that ends every process: each request will say so
            self._revive()

    def request(self, message: dict[str, Any], handle: HandleType = Handle) -> Answer:
        """Ask the student's process something. handle: as in `callbacks.incoming`.

        Errors: ProcessEnded where this ended the process, or where there is none any more.
        """
        reply: Answer = self._ask(message, Answer, handle)
        if isinstance(reply, Raised):
            self._unavailable.note(reply)
        return reply

    def changes(self, earlier: str, later: str, functions: Collection[str]) -> dict[str, int]:
        """What has changed between two states of these functions and what they use: names, with their cells' numbers.

        Errors: ProcessEnded as in `request`.
        """
        asked = {"do": "changes", "earlier": earlier, "later": later, "functions": list(functions)}
        there = {run.number for run in self.runs.values()}
        return {name: number for name, number in self._ask(asked, Changed).cells.items() if number in there}

    def forget_values(self) -> None:
        """No value that has come from the process so far is passed back to it any more."""
        self._origins.forget()
        self._is_fresh = True

    def excuses(self, place: Hashable) -> bool:
        """Whether the last end, which was at `place`, is taken as one from outside: then it has cost nothing.

        A place is the same where the student's code would have done the same.
        """
        if not (self._last_end and self._last_end.is_unexplained and self._disturbances.excuse(place)):
            return False
        self._starts_left += 1
        self.cost.wall_seconds, self.cost.cpu_seconds, self._last_end = self._at_start
        return True

    @property
    def is_over(self) -> bool:
        """Whether the notebook has no process any more and gets no other one."""
        return self._process is None and (self._starts_left == 0 or self._is_used_up())

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
        found += self._unavailable.findings
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

    def _ask(self, message: dict[str, Any], kind: Any, handle: HandleType = Handle) -> Any:
        process = self._revive()
        message, self._is_fresh = message | {"fresh": self._is_fresh}, False
        try:
            reply = self._converse(process, message, handle)
            if not isinstance(reply, kind):
                raise process.broke_protocol("a wrong kind of answer")
        except ProcessEnded as ended:
            self._bury(process, ended)
            raise
        except wire.WireError:  # a value of ours that cannot cross; the process may wait for it in vain
            self.close()
            raise
        return reply

    def _revive(self) -> StudentProcess:
        """The living process, with all cells run that can be."""
        while self._process is None:
            if self.is_over:
                status = self._last_end.status if self._last_end else Status.TIMEOUT
                raise ProcessEnded(status, "not run: the notebook had ended its process too often or used up its time")
            self._starts_left -= 1
            self._at_start = (self.cost.wall_seconds, self.cost.cpu_seconds, self._last_end)
            cpu_left = self._limits.total_cpu_seconds - self.cost.cpu_seconds
            self._process = self._sandbox.start(self._limits, cpu_left, self._files)
            if self._guarded:
                self._prepare(self._process, {"do": "guard", "names": sorted(self._guarded)})
            for name, text in self._modules.items():
                self._prepare(self._process, {"do": "write_module", "name": name, "text": text})
            if self._surroundings:
                self._lay_out(self._process, self._surroundings)
            self._play(self._process)
        return self._process

    def _prepare(self, process: StudentProcess, message: dict[str, Any]) -> None:
        """Nothing of the student's has run yet, so a failure is ours."""
        try:
            reply = self._converse(process, message)
        except ProcessEnded as ended:
            raise SandboxError(f"the process could not be prepared: {ended.reason}") from None
        if not isinstance(reply, Done):
            raise SandboxError(f"the process could not be prepared: {reply}")

    def _lay_out(self, process: StudentProcess, surroundings: Surroundings) -> None:
        self._prepare(process, {"do": "tell", "variables": dict(surroundings.variables)})
        for name, content in surroundings.files.items():
            self._prepare(process, {"do": "lay_out", "name": name, "content": np.frombuffer(content, np.uint8)})

    def _play(self, process: StudentProcess) -> None:
        index = -1
        try:
            for index, cell in enumerate(self.cells):
                if cell.role is Role.GRADE:
                    self._pass_grade_cell(process, cell.name)
                self._play_cell(process, index, cell)
                if self._probes_each_cell:
                    self._probe(process)
            self._probe(process)
            self._command(process, {"do": "mark", "name": FINAL})
            if self._stand_ins:
                self._command(process, {"do": "stand_in", "names": list(self._stand_ins)})
        except ProcessEnded as ended:
            self._bury(process, ended)
            if isinstance(ended, _BrokenByACell):
                self._probes_each_cell = True
            elif not self.excuses(index) and index in self.runs:
                self.runs[index].ended = ended

    def _pass_grade_cell(self, process: StudentProcess, task: str) -> None:
        self._command(process, {"do": "mark", "name": task})
        if task in self._values:
            self._command(process, {"do": "bind", "values": dict(self._values[task])})

    def _probe(self, process: StudentProcess) -> None:
        """Errors: ProcessEnded where cells cannot be run any more. After each cell that would take its time."""
        if not isinstance(self._converse(process, {"do": "probe"}), Done):
            raise self._broken()

    def _broken(self) -> ProcessEnded:
        kind = ProcessEnded if self._probes_each_cell else _BrokenByACell
        return kind(Status.CRASHED, "it broke what runs the notebook's cells")

    def _play_cell(self, process: StudentProcess, index: int, cell: Cell) -> None:
        run = self.runs.get(index)
        left = importing_nothing(cell, self.cells) if run and run.ended else cell
        if run is None or left is None:
            return
        asked = {"source": left.code, "number": run.number, "output": self._limits.output * _MIB}
        reply = self._converse(process, {"do": "run", "given": cell.role is Role.GIVEN, **asked})
        if isinstance(reply, Raised):
            raise self._broken()
        if not isinstance(reply, Ran):
            raise process.broke_protocol("a wrong kind of answer")
        if not run.outputs:
            run.outputs = self._outputs.presentable(reply.outputs)
            run.is_incomplete = reply.incomplete or (self._outputs.is_cut and bool(run.outputs))
        run.is_done, run.error, run.has_exited = True, reply.error, reply.exited
        if reply.error:
            self._unavailable.note(reply.error)
        if reply.exhausted:  # what it holds would be missing from every later cell
            raise out_of_memory(self._limits)

    def _command(self, process: StudentProcess, message: dict[str, Any]) -> None:
        if not isinstance(self._converse(process, message), Done):
            raise process.broke_protocol("a wrong kind of answer")

    def _converse(self, process: StudentProcess, message: dict[str, Any], handle: HandleType = Handle) -> AnyReply:
        return self._exchange(process, message, partial(incoming, handle=handle))

    def _exchange(self, process: StudentProcess, message: dict[str, Any], receiver: wire.Receiver) -> AnyReply:
        if self._is_used_up():  # by many that were too short for a stopwatch to look at
            process.close()
            raise used_up(self._limits)
        functions = [*self._stand_ins.values()]
        sender = Sender(functions)
        stopwatch = process.stopwatch(functions, self._limits.total_wall_seconds - self.cost.wall_seconds)
        try:
            while True:
                crossing = self._origins.restored(message)
                raw = process.request(crossing, sender, receiver, stopwatch, self._origins.note)
                reply = self._understood(process, raw)
                if not isinstance(reply, Callback):
                    return reply
                stopwatch.count_call_back(size_of([reply.arguments, reply.keywords]))
                message = answer(reply, functions)
        finally:
            self.cost.wall_seconds += stopwatch.waited()
            self.cost.slowest = max(self.cost.slowest, stopwatch.computed())

    def _understood(self, process: StudentProcess, raw: Any) -> AnyReply:
        try:
            first, notes = raw.pop("first"), raw.pop("notes", [])
            reply: AnyReply = msgspec.convert(raw, AnyReply)
            if type(first) is not int:
                raise TypeError("no number")
            noted = msgspec.convert(notes, list[Note])
        except Exception:  # arrays and handles answer the converter's questions with exceptions of many kinds
            raise process.broke_protocol("a wrong kind of answer") from None
        self._origins.number(first)
        for note in noted[:_MOST_NOTES]:
            is_place = isinstance(note.cell, int) or note.cell in self._modules
            if note.name in self._guarded and is_place and len(self.notes) < _MOST_NOTES:
                self.notes.add(note)
        return _shortened(reply)

    def _is_used_up(self) -> bool:
        limits, cost = self._limits, self.cost
        return cost.cpu_seconds >= limits.total_cpu_seconds or cost.wall_seconds >= limits.total_wall_seconds

    def _bury(self, process: StudentProcess, ended: ProcessEnded) -> None:
        self._part_with(process)
        self._last_end = ended
        _log.info("%s: %s; %d restarts left", ended.status, plain_line(ended.reason), self._starts_left)

    def _part_with(self, process: StudentProcess) -> None:
        end = process.close()
        self._origins.forget()
        self.cost.cpu_seconds += end.cpu_seconds
        self.cost.memory = max(self.cost.memory, end.memory)
        self.cost.output = self._outputs.used
        self._process = None


def _times_disturbed(count: int) -> str:
    return f"its process was ended from outside {'once' if count == 1 else f'{count} times'} and started again"


def _shortened(reply: AnyReply) -> AnyReply:
    match reply:
        case Raised():
            texts = {name: getattr(reply, name)[:_TEXT] for name in ("type", "name", "message", "where")}
            return replace(reply, **texts)
        case Ran(error=Raised() as error):
            return replace(reply, error=_shortened(error))
    return reply
