"""What came from a student's process and can go back as what it is there: the student's own object, not a copy.

As in a notebook, where a cache that a function returns is the very one that the next function is given. A test may
change what it has got; then it is a value of the test's, and crosses as any other.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from autograder import wire
from autograder.values import Handle, type_name

_ROOM = 64 << 20  # bytes of what is known; beyond, what came first crosses by value
_NODE = 64  # bytes of an entry of a node

_Known = tuple[object, int, list[Any], memoryview]


class Origins:
    """The numbered values of one process. A value here, by its identity, stands for the number that it has there."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._size = 0
        self._noted: list[tuple[object, list[Any], memoryview]] = []

    def note(self, value: object, node: list[Any], bulk: memoryview) -> None:
        """A `wire.Note`: a value of the answer that is being read."""
        self._noted.append((value, node, bulk))

    def number(self, first: int) -> None:
        """The answer is read, and `first` is the number that its first value has in the process."""
        for number, (value, node, bulk) in enumerate(self._noted, start=first):
            self._known[id(value)] = (value, number, node, bulk)
            self._size += _size(node, bulk)
        self._noted.clear()
        while self._size > _ROOM:
            _, _, node, bulk = self._known.pop(next(iter(self._known)))
            self._size -= _size(node, bulk)

    def forget(self) -> None:
        """As if nothing had come."""
        self._known.clear()
        self._noted.clear()
        self._size = 0

    def restored(self, value: Any) -> Any:
        """`value` with handles in the places of what is still as it came."""
        if handle := self._handle(value):
            return handle
        if type(value) is list or type(value) is tuple:
            return type(value)(self.restored(item) for item in value)
        if type(value) is dict:
            return {key: self.restored(item) for key, item in value.items()}
        return value

    def _handle(self, value: object) -> Handle | None:
        known = self._known.get(id(value))
        if known is None or isinstance(value, Handle):
            return None
        _, number, node, bulk = known
        return Handle(number, type_name(value)) if _written(value) == wire.frame(node, [bulk]) else None


def _size(node: list[Any], bulk: memoryview) -> int:
    return _NODE * len(node) + len(bulk)


def _written(value: object) -> bytes:
    with suppress(wire.WireError):  # a test has put in what cannot cross
        return wire.encode(value, as_it_came)
    return b""


def as_it_came(value: object) -> list[Any] | None:
    """A `wire.Sender`: writes a handle with all that it was read from."""
    return ["handle", value.handle_number, value.handle_type] if isinstance(value, Handle) else None
