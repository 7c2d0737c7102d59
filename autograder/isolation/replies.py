"""The answers of a student's process, as the grader takes them; `inside.server` says what each means."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec


class Reply(msgspec.Struct, frozen=True, tag_field="kind"):
    """An answer of the student's process; `inside.server` says what each means."""


class Done(Reply, frozen=True, tag="done"):
    """What was asked is done."""


class Value(Reply, frozen=True, tag="value"):
    """A call came back with a value."""

    value: Any


class Missing(Reply, frozen=True, tag="missing"):
    """There is no such function."""


class TooLarge(Reply, frozen=True, tag="too_large"):
    """The value is larger than what may cross."""


class Raised(Reply, frozen=True, tag="raised"):
    """An exception of the student's code.

    type: the nearest of Python's own types that it is; name: of its own type. where: the last own line on the way to
    it, if there was one. refused: whether it comes from what the confinement does not allow.
    """

    type: str
    name: str
    message: str
    where: str
    refused: bool = False


class Callback(Reply, frozen=True, tag="callback"):
    """It calls a function of ours, by its number, and waits for the answer."""

    number: int
    arguments: list[Any]
    keywords: dict[str, Any]


class Changed(Reply, frozen=True, tag="changed"):
    """The names that are other than before, each with the cell that has bound it."""

    cells: dict[str, int]


class Note(msgspec.Struct, frozen=True, array_like=True):
    """A call of a library's function that a task does not allow, and where it came from: a cell's number, or a file."""

    name: str
    cell: int | str
    line: int


Kind = Literal["text/plain", "image/png", "image/jpeg"]  # as in inside.shell


class Output(msgspec.Struct, frozen=True, tag_field="output_type", omit_defaults=True):
    """An output of a cell, as nbformat has it."""


class Stream(Output, frozen=True, tag="stream"):
    """Printed text."""

    name: Literal["stdout", "stderr"]
    text: str


class Display(Output, frozen=True, tag="display_data"):
    """Something shown."""

    data: dict[Kind, str]
    metadata: dict[str, str]


class Result(Output, frozen=True, tag="execute_result"):
    """The value of a cell's last line."""

    data: dict[Kind, str]
    metadata: dict[str, str]
    execution_count: Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]


class Error(Output, frozen=True, tag="error"):
    """An exception that ended a cell."""

    ename: str
    evalue: str
    traceback: list[str]


class Ran(Reply, frozen=True, tag="ran"):
    """A cell was run."""

    outputs: list[Stream | Display | Result | Error]
    error: Raised | None = None
    exhausted: bool = False
    exited: bool = False
    incomplete: bool = False


Answer = Value | Missing | TooLarge | Raised
AnyReply = Done | Answer | Callback | Changed | Ran
