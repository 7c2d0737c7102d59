"""The student's process: runs the notebook's cells and answers the grader's calls.

A request is a dict whose "do" names one of the methods below; each method's docstring is the format of its request
and its answer. Any request may also be answered by

    {"kind": "raised", "type", "message", "where"}    an exception; where: the student's own line on the way to it
    {"kind": "too_large"}                             the value is larger than what may cross
    {"kind": "callback", "number", "arguments"}       a call of a function of the grader's, which sends {"value"} or
                                                      {"error"} back and waits on

From the first cell on everything here belongs to the student; the grader believes no answer.
"""

from __future__ import annotations

import linecache
import re
import socket
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from autograder import wire
from autograder.inside import selfcheck
from autograder.inside.shell import Shell
from autograder.values import differentiable, type_name, vector_jacobian

_TEXT = 4000  # characters of a message, an own line of code or of printed text that a report may need
_ROOM_TO_GO_ON = 64 << 20  # bytes
_CELL = re.compile(r"<cell (\d+)>")


def serve(channel: socket.socket, shell: Shell) -> None:
    """Answer requests until the grader closes the channel."""
    server = _Server(channel, shell)
    while True:
        try:
            request = server.receive()
        except EOFError:
            return
        server.answer(request)


class _Server:
    def __init__(self, channel: socket.socket, shell: Shell) -> None:
        self._channel = channel
        self._shell = shell
        self._kept: list[object] = []
        # Where the exercise has no use for tensors the grader has not loaded torch, whatever a student imports.
        self._tensors = "torch" in sys.modules
        self._snapshots: dict[str, dict[str, object]] = {}

    def receive(self) -> Any:
        return wire.receive(self._channel, self._incoming)

    def answer(self, request: dict[str, Any]) -> None:
        arguments = {key: value for key, value in request.items() if key != "do"}
        try:
            self._send(getattr(self, request["do"])(**arguments))
        except BaseException as error:
            self._send(self._raised(error))

    def check(self, canary: str, port: int) -> dict[str, Any]:
        """{"canary": folder, "port"}: try what must not work. -> {"kind": "value", "value": breaches}"""
        return {"kind": "value", "value": selfcheck.breaches(canary, port)}

    def files(self, texts: dict[str, str]) -> dict[str, Any]:
        """{"texts": {name: text}}: write them into the working folder. -> {"kind": "done"}"""
        for name, text in texts.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        return {"kind": "done"}

    def run(self, source: str, number: int, output: int) -> dict[str, Any]:
        """{"source", "number", "output": bytes}: run a cell. -> {"kind": "ran", "outputs", "failed", "exhausted"}

        Outputs are nbformat's; number: which code cell of the notebook it is, from 1; exhausted: whether it failed and
        left too little memory for the cells after it.
        """
        outputs, failed = self._shell.run(source, number, output)
        return {"kind": "ran", "outputs": outputs, "failed": failed, "exhausted": failed and _is_memory_gone()}

    def mark(self, task: str) -> dict[str, Any]:
        """{"task"}: what the notebook defines now is what that task's tests call. -> {"kind": "done"}"""
        self._snapshots[task] = dict(self._shell.namespace)
        return {"kind": "done"}

    def call(self, task: str, name: str, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """{"task", "name", "arguments", "keywords"}: call a student's function.

        -> {"kind": "value", "value"} or {"kind": "missing"} or {"kind": "raised", "type", "message", "where"}
        """
        function = self._find(task, name)
        if function is None:
            return {"kind": "missing"}
        _reset_modes()
        return {"kind": "value", "value": function(*arguments, **keywords)}

    def gradients(self, task: str, name: str, arguments: list[Any], upstream: Any) -> dict[str, Any]:
        """Like `call`, with copies of the tensors that require gradients, then a vector-Jacobian product.

        -> {"kind": "value", "value": (result, [gradient or None for each argument])}. The gradients are None where the
        result is no tensor of upstream's shape or does not depend on the argument. upstream None means all ones.
        """
        function = self._find(task, name)
        if function is None:
            return {"kind": "missing"}
        _reset_modes()
        leaves = [differentiable(argument) for argument in arguments]
        result = function(*leaves)
        return {"kind": "value", "value": (result, vector_jacobian(result, leaves, upstream))}

    def keep(self, value: Any) -> dict[str, Any]:
        """{"value"}: hold it here. -> {"kind": "value", "value": handle}"""
        return {"kind": "value", "value": _Kept(value)}

    def fetch(self, value: Any) -> dict[str, Any]:
        """{"value": handle}: what it holds now. -> {"kind": "value", "value"}"""
        return {"kind": "value", "value": value}

    def _find(self, task: str, name: str) -> Callable[..., Any] | None:
        for namespace in (self._snapshots.get(task, {}), self._shell.namespace):
            if callable(found := namespace.get(name)):
                return found
        return None

    def _send(self, reply: dict[str, Any]) -> None:
        try:
            frame = wire.encode(reply, self._outgoing, self._tensors)
        except wire.TooLargeError:
            frame = wire.encode({"kind": "too_large"}, self._outgoing)
        except BaseException as error:
            frame = wire.encode(self._raised(error), self._outgoing)
        self._channel.sendall(frame)

    def _outgoing(self, value: object) -> list[Any]:
        kept = value.value if type(value) is _Kept else value
        self._kept.append(kept)
        return ["handle", len(self._kept) - 1, type_name(kept)[:100]]

    def _incoming(self, tag: str, arguments: list[Any]) -> Any:
        if tag == "handle":
            return self._kept[arguments[0]]
        return self._callback(arguments[0])

    def _callback(self, number: int) -> Callable[..., Any]:
        def ask_the_grader(*arguments: Any) -> Any:
            self._send({"kind": "callback", "number": number, "arguments": list(arguments)})
            answer = self.receive()
            if "error" in answer:
                raise RuntimeError(f"the function that was passed in raised {answer['error']}")
            return answer["value"]

        return ask_the_grader

    def _raised(self, error: BaseException) -> dict[str, Any]:
        try:
            message = str(error)[:_TEXT]
        except Exception:
            message = ""
        where = _own_line(error.__traceback__)
        return {"kind": "raised", "type": type(error).__name__[:100], "message": message, "where": where}


class _Kept:
    """Marks a value that must leave as a handle although it could cross."""

    def __init__(self, value: object) -> None:
        self.value = value


def _own_line(trace: TracebackType | None) -> str:
    """The last line of the student's own code on the way to the error, as "cell 5, line 3: z = x @ W"."""
    where = ""
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if cell := _CELL.fullmatch(file):
            line = linecache.getline(file, trace.tb_lineno).strip()
            where = f"cell {cell[1]}, line {trace.tb_lineno}: {line}"
        trace = trace.tb_next
    return where[:_TEXT]


def _reset_modes() -> None:
    """Undo what a student's cell may have left switched on or off for all later code."""
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    if torch := sys.modules.get("torch"):
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)


def _is_memory_gone() -> bool:
    try:
        bytearray(_ROOM_TO_GO_ON)
    except MemoryError:
        return True
    return False
