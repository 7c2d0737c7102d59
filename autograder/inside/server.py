"""The student's process: runs the notebook's cells and answers the grader's calls.

A request is a dict whose "do" names one of the methods below; each method's docstring is the format of its request
and its answer. Any request may also be answered by

    {"kind": "raised", "type", "name", "message", "where", "refused"}
            an exception. type: the nearest of Python's own types that it is; name: of its own type; where: the
            student's own line on the way to it; refused: whether it comes from what the confinement does not allow
    {"kind": "too_large"}
            the value is larger than what may cross
    {"kind": "callback", "number", "arguments", "keywords"}
            a call of a function of the grader's, which sends {"value"} or {"error": {"name", "message"}} back and waits
            on; number: of the stand-ins first, then of the request's own

Answers also have "first": what is in the answer is numbered from there, as wire.py says, and can be passed back as a
handle. And where guards have noted something since the last answer, "notes": [[name, cell, line], ...]. A request that
is "fresh", the first of a test, passes back nothing of earlier answers, nor do those after it, and finds the global
random state as it is in every test. One with a "state" is about the notebook as it stood then.

From the first cell on everything here belongs to the student; the grader believes no answer.
"""

from __future__ import annotations

import builtins
import copy
import errno
import linecache
import operator
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder import wire
from autograder.inside import own_code, selfcheck
from autograder.inside.guards import Guards
from autograder.inside.seeds import seed_all
from autograder.inside.shell import Shell
from autograder.inside.states import States
from autograder.values import differentiable, error_type, layout_of, module_gradients, type_name, vector_jacobian

_TEXT = 4000  # characters of a message, an own line of code or of printed text that a report may need
_ROOM_TO_GO_ON = 64 << 20  # bytes
_UNREADABLE = "<tokenize>"  # what Python calls a text whose lines are indented in no way, before it is compiled
_NO = (errno.EPERM, errno.EACCES)
_NOTHING = object()
_LIBRARIES = {"builtins": builtins, "copy": copy, "operator": operator}


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
        self._numbers: dict[int, int] = {}  # of those that have gone out as handles, by identity
        # Where the exercise has no use for tensors the grader has not loaded torch, whatever a student imports.
        self._tensors = "torch" in sys.modules
        self._states = States(shell.namespace)
        self._guards = Guards()

    def receive(self) -> Any:
        return wire.receive(self._channel, self._incoming)

    def answer(self, request: dict[str, Any]) -> None:
        if request.pop("fresh", False):
            self._forget(0)
            seed_all()
        try:
            if "state" in request:
                self._states.enter(request.pop("state"))
                _reset_modes()
            self._send(getattr(self, request.pop("do"))(**request))
        except BaseException as error:
            self._send(self._raised(error))

    def check(self, canary: str, port: int) -> dict[str, Any]:
        """{"canary": folder, "port"}: try what must not work. -> {"kind": "value", "value": breaches}"""
        return {"kind": "value", "value": selfcheck.breaches(canary, port)}

    def guard(self, names: list[str]) -> dict[str, Any]:
        """{"names": dotted}: note from now on where cells call these functions of libraries. -> {"kind": "done"}"""
        self._guards.put_up(names)
        return {"kind": "done"}

    def lay_out(self, name: str, content: Any) -> dict[str, Any]:
        """{"name", "content": an array of bytes}: write a file of the notebook's folder. -> {"kind": "done"}"""
        if folder := os.path.dirname(name):
            os.makedirs(folder, exist_ok=True)
        with open(name, "wb") as file:
            file.write(content.tobytes())
        return {"kind": "done"}

    def write_module(self, name: str, text: str) -> dict[str, Any]:
        """{"name", "text"}: lay a module of the student's beside the notebook. -> {"kind": "done"}"""
        own_code.write_module(name, text)
        return {"kind": "done"}

    def tell(self, variables: dict[str, str]) -> dict[str, Any]:
        """{"variables"}: set these of the environment. -> {"kind": "done"}"""
        os.environ.update(variables)
        return {"kind": "done"}

    def run(self, source: str, number: int, output: int, given: bool) -> dict[str, Any]:
        """{"source", "number", "output": bytes, "given"}: run a cell.

        -> {"kind": "ran", "outputs", "error": as above or None, "exhausted", "exited", "incomplete"}. Outputs are
        nbformat's; number: which code cell of the notebook it is, from 1; given: whether it is the course's own;
        exhausted: whether it failed and left too little memory for the cells after it; exited: whether it left through
        `sys.exit`, which is no error; incomplete: whether output beyond its room or a shell command was left out.
        """
        with self._states.watching(number, given):
            outputs, error = self._shell.run(source, number, output)
        if type(error) is IndentationError and error.filename == _UNREADABLE:
            error.filename = f"<cell {number}>"
        if given and error is not None:
            own_code.bring(source, self._shell.namespace)
        exited = isinstance(error, SystemExit)
        answer = {"kind": "ran", "outputs": outputs, "error": None if error is None or exited else self._raised(error)}
        exhausted = error is not None and not exited and _is_memory_gone()
        return answer | {"exhausted": exhausted, "exited": exited, "incomplete": self._shell.is_incomplete}

    def probe(self) -> dict[str, Any]:
        """{}: whether cells can still be run. -> {"kind": "done"}, or an exception"""
        self._shell.probe()
        return {"kind": "done"}

    def mark(self, name: str) -> dict[str, Any]:
        """{"name"}: keep what the notebook defines now as the state of this name. -> {"kind": "done"}"""
        self._states.keep(name)
        return {"kind": "done"}

    def changes(self, earlier: str, later: str, functions: list[str]) -> dict[str, Any]:
        """{"earlier", "later": states, "functions"}: what of them is other. -> {"kind": "changed", "cells": by name}"""
        return {"kind": "changed", "cells": self._states.changes(earlier, later, functions)}

    def stand_in(self, names: list[str]) -> dict[str, Any]:
        """{"names"}: calls of these functions are the grader's to answer from now on. -> {"kind": "done"}"""
        self._states.stand_in({name: self._callback(number) for number, name in enumerate(names)})
        return {"kind": "done"}

    def bind(self, values: dict[str, Any]) -> dict[str, Any]:
        """{"values": by name}: what the notebook's names stand for from now on. -> {"kind": "done"}"""
        self._states.bind(values)
        return {"kind": "done"}

    def call(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """{"name", "arguments", "keywords"}: call a function.

        -> {"kind": "value", "value"} or {"kind": "missing"} or an exception
        """
        function = self._find(name)
        if function is None:
            return {"kind": "missing"}
        return {"kind": "value", "value": function(*arguments, **keywords)}

    def look(self, name: str) -> dict[str, Any]:
        """{"name"}: what it stands for. -> {"kind": "value", "value"} or {"kind": "missing"}"""
        found = self._shell.namespace.get(name, _NOTHING)
        return {"kind": "missing"} if found is _NOTHING else {"kind": "value", "value": found}

    def apply(self, function: str, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """{"function": as "operator.add", "arguments", "keywords"}: work a function of Python's own here.

        -> {"kind": "value", "value"} or an exception
        """
        module, name = function.split(".")
        return {"kind": "value", "value": getattr(_LIBRARIES[module], name)(*arguments, **keywords)}

    def gradients(self, name: Any, arguments: list[Any], upstream: Any) -> dict[str, Any]:
        """Like `call`, with copies of the tensors that require gradients, then a vector-Jacobian product.

        name: of a function, or a handle of what is called.

        -> {"kind": "value", "value": (result, [gradient or None for each argument])}. The gradients are None where the
        result is no tensor of upstream's shape or does not depend on the argument. upstream None means all ones.
        """
        function = self._find(name)
        if function is None:
            return {"kind": "missing"}
        leaves = [differentiable(argument) for argument in arguments]
        result = function(*leaves)
        return {"kind": "value", "value": (result, vector_jacobian(result, leaves, upstream))}

    def module_gradients(self, module: Any, arguments: list[Any], upstream: Any) -> dict[str, Any]:
        """Like `gradients` for a handle of a PyTorch module, with a third part: {parameter name: gradient or None}."""
        return {"kind": "value", "value": module_gradients(module, arguments, upstream)}

    def layout(self, module: Any) -> dict[str, Any]:
        """{"module": handle}: its parameters and buffers. -> {"kind": "value", "value": {name: shape or None}}"""
        return {"kind": "value", "value": layout_of(module)}

    def keep(self, value: Any) -> dict[str, Any]:
        """{"value"}: hold it here. -> {"kind": "value", "value": handle}"""
        return {"kind": "value", "value": _Kept(value)}

    def fetch(self, value: Any) -> dict[str, Any]:
        """{"value": handle}: what it holds now. -> {"kind": "value", "value"}"""
        return {"kind": "value", "value": value}

    def _find(self, name: Any) -> Callable[..., Any] | None:
        """The function of that name; what is no name is what a handle stands for."""
        found = self._shell.namespace.get(name) if isinstance(name, str) else name
        return found if callable(found) else None

    def _send(self, reply: dict[str, Any]) -> None:
        first, notes = len(self._kept), self._guards.take()
        always = {"first": first, **({"notes": [*map(list, notes)]} if notes else {})}
        try:
            frame = self._encoded(reply | always)
        except wire.TooLargeError:
            self._forget(first)
            frame = self._encoded({"kind": "too_large", **always})
        except BaseException as error:
            self._forget(first)
            frame = self._encoded(self._raised(error) | always)
        self._channel.sendall(frame)

    def _encoded(self, reply: dict[str, Any]) -> bytes:
        return wire.encode(reply, self._outgoing, self._tensors, self._note)

    def _forget(self, first: int) -> None:
        """Hold no value any longer that has this number or a later one."""
        del self._kept[first:]
        self._numbers = {identity: number for identity, number in self._numbers.items() if number < first}

    def _note(self, value: object) -> None:
        self._kept.append(value.value if type(value) is _Kept else value)

    def _outgoing(self, value: object) -> list[Any]:
        if type(value) is _Opaque:
            return ["opaque", value.number]
        kept = value.value if type(value) is _Kept else value
        number = self._numbers.setdefault(id(kept), len(self._kept))  # it is one object, however often it goes out
        return ["handle", number, type_name(kept)[:100]]

    def _incoming(self, tag: str, arguments: list[Any]) -> Any:
        if tag == "handle":
            return self._kept[arguments[0]]
        if tag == "opaque":
            return _Opaque(arguments[0])
        if tag == "slice":
            return slice(*arguments)
        if tag == "ellipsis":
            return Ellipsis
        if tag == "dtype":
            return _dtype(*arguments)
        return self._callback(arguments[0])

    def _callback(self, number: int) -> Callable[..., Any]:
        def ask_the_grader(*arguments: Any, **keywords: Any) -> Any:
            asked = {"number": number, "arguments": list(arguments), "keywords": keywords}
            self._send({"kind": "callback", **asked})
            answer = self.receive()
            if "error" in answer:
                raise _as_exception(**answer["error"])
            return answer["value"]

        return ask_the_grader

    def _raised(self, error: BaseException) -> dict[str, Any]:
        return {
            "kind": "raised",
            "type": error_type(error),
            "name": type_name(error)[:100],
            "message": _message(error),
            "where": _own_line(error),
            "refused": _is_refused(error),
        }


class _Kept:
    """Marks a value that must leave as a handle although it could cross."""

    def __init__(self, value: object) -> None:
        self.value = value


class _Opaque:
    """A value of the grader's, which only the grader knows."""

    def __init__(self, number: int) -> None:
        self.number = number


def _message(error: BaseException) -> str:
    try:
        return str(error.msg if isinstance(error, SyntaxError) else error)[:_TEXT]
    except Exception:
        return ""


def _dtype(library: str, name: str) -> Any:
    return np.dtype(name) if library == "numpy" else getattr(sys.modules[library], name)


def _as_exception(name: str, message: str) -> BaseException:
    """Of Python's own type of that name; some need more than a message."""
    try:
        return getattr(builtins, name)(message)  # type: ignore[no-any-return]
    except TypeError:
        return RuntimeError(message)


def _is_refused(error: BaseException) -> bool:
    """Whether it, or what it came from, says that something is shut off."""
    seen: list[BaseException] = []
    left = [error]
    while left:
        one = left.pop()
        if not any(one is other for other in seen):
            seen.append(one)
            left += [cause for cause in (one.__cause__, one.__context__) if cause is not None]
    return any(isinstance(one, OSError) and _is_shut_off(one) for one in seen)


def _is_shut_off(error: OSError) -> bool:
    """The kernel's no, a host that nobody can be asked for, or a file outside of the notebook's folder."""
    try:
        if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
            return not os.path.abspath(error.filename).startswith(tempfile.gettempdir())
        return isinstance(error, socket.gaierror) or error.errno in _NO
    except Exception:  # in a folder that has gone, or with an error or an `os` of the student's own
        return False


def _own_line(error: BaseException) -> str:
    """The last line of the student's own code on the way to the error, as "cell 5, line 3: z = x @ W"."""
    if isinstance(error, SyntaxError) and (place := own_code.place_of(error.filename)):
        return f"{own_code.told(place)}, line {error.lineno}: {str(error.text or '').strip()}"[:_TEXT]
    where, trace = "", error.__traceback__
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if place := own_code.place_of(file):
            line = linecache.getline(file, trace.tb_lineno).strip()
            where = f"{own_code.told(place)}, line {trace.tb_lineno}: {line}"
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
