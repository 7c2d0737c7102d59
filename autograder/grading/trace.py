"""What came back from a student's process in one test, put down for recognising known mistakes while there is room."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from autograder.isolation.replies import Value
from autograder.values import Handle

Trace = list[object]  # call by call, each answer, and what the student's code gave to the test's own functions

ROOM = 64 << 20  # bytes of all traces of a submission


class Unkept(msgspec.Struct, frozen=True):
    """Stands for what there was no room for. It is like nothing, so that no mistake is named by it."""


class Recorder:
    """Writes the trace of one test. room: bytes that are left; `trace` and `room` are what it came to.

    asked: the names of the notebook that the test has asked for.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.trace: Trace = []
        self.room = room
        self.asked: set[str] = set()

    def put_down(self, item: object) -> None:
        """Keep an item, or note that there was one."""
        size = size_of(item, self.room)
        if size > self.room:
            self.trace.append(Unkept())
        else:
            self.trace.append(item)
            self.room -= size


def settled(value: Any) -> Any:
    """A trace, or what is in it, with plain handles in the places of remote objects, which hold on to a session."""
    match value:
        case Handle():
            return Handle(value.handle_number, value.handle_type)
        case list() | tuple():
            return type(value)(map(settled, value))
        case dict():
            return {key: settled(item) for key, item in value.items()}
        case Value():
            return Value(settled(value.value))
    return value


def size_of(value: object, most: float = float("inf")) -> int:
    """The bytes that plain data takes in this process; some number above `most` where it is more."""
    size, left = 0, [value]
    while left and size <= most:
        one: Any = left.pop()
        if isinstance(one, Handle):  # to ask it is to ask the student's process
            continue
        size += max(sys.getsizeof(one), int(getattr(one, "nbytes", 0)))
        if isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list | tuple):
            left += one
        elif isinstance(one, msgspec.Struct):
            left += [getattr(one, name) for name in one.__struct_fields__]
    return size


def is_cut(traces: dict[str, Trace]) -> bool:
    """Whether something of them was not kept."""
    return any(isinstance(item, Unkept) for trace in traces.values() for item in trace)
