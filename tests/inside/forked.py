"""Something tried in a process of its own, which ends with it: what is given up there is given up for good."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

Step = Callable[[], object]


class Killed(Exception):
    """The process was ended by a signal."""


def forked(function: Callable[[], Any]) -> Any:
    """What `function` returns in a forked process, by way of JSON. Errors: the one it raises, as text, or Killed."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.close(reader)
        _answer(writer, function)
    os.close(writer)
    with open(reader, encoding="utf-8") as file:
        text = file.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        raise Killed(signal.Signals(os.WTERMSIG(status)).name)
    answer = json.loads(text)
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["value"]


def outcome(*steps: Step) -> str:
    """How the last step ends after the others in one forked process: "works", an exception's or a signal's name.

    Errors: RuntimeError where one of the others does not work.
    """
    *before, last = steps

    def take_the_steps() -> str:
        for step in before:
            step()
        try:
            last()
        except Exception as error:
            return type(error).__name__
        return "works"

    try:
        return str(forked(take_the_steps))
    except Killed as killed:
        return str(killed)


def works(step: Step) -> bool:
    """Whether a step works in a process of its own."""
    try:
        return outcome(step) == "works"
    except RuntimeError:
        return False


def _answer(writer: int, function: Callable[[], Any]) -> None:
    """Never returns."""
    try:
        answer = {"value": function()}
    except BaseException as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    try:
        os.write(writer, json.dumps(answer).encode())
    finally:
        os._exit(0)
