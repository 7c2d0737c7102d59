"""What crosses between the grader and the student's process: frames of plain data, never pickles, never code.

A frame is

    4 bytes  length of the structure, big-endian
    4 bytes  length of the bulk, big-endian
    structure, JSON (UTF-8)
    bulk, the raw bytes of all arrays in order of appearance, C order, little-endian

JSON null, booleans, numbers and strings stand for themselves. Everything else is a JSON list that starts with a tag:

    ["list", node, ...]  ["tuple", node, ...]  ["dict", [node, node], ...]  ["int", "digits"]
    ["complex", real, imaginary]  ["array", dtype, shape]  ["scalar", dtype]  ["tensor", dtype, shape]
    ["handle", number, type name]     a value that stays in the student's process
    ["callback", number]              a function that stays in the grader's process
    ["opaque", number]                a value that the grader keeps for the student's code and knows by this number

What is a number, an array or a tensor, and what a subclass counts as, is said in values.py. Both sides can note all
of a frame but numbers, texts and None in one order, the parts of a value before itself, and so number the values alike
without a word about it in the frame.

This module is loaded on both sides. The reader believes
nothing: every length is checked before memory is taken, every tag, dtype and shape before it is used.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from autograder.values import (
    ARRAY_DTYPES,
    TENSOR_DTYPES,
    Form,
    Handle,
    as_base,
    entries_of,
    form_of,
    plain_text,
    type_name,
)

MAX_STRUCTURE = 8 << 20
MAX_BULK = 256 << 20
MAX_DEPTH = 32
MAX_DIMENSIONS = 16
MAX_ENTRIES = 5000  # of a dict: keys that are chosen to collide cost the square of their number

_HEAD = struct.Struct("!II")
_JSON_INTEGERS = 1 << 53
_LONGEST_INTEGER = 1000  # hexadecimal digits


class WireError(Exception):
    """The bytes are not a frame, or the value cannot be one."""


class TooLargeError(WireError):
    """The value is larger than what may cross."""


class Sender(Protocol):
    """What to write for a value that cannot cross as data: the tagged list, or None where there is no way."""

    def __call__(self, value: object, /) -> list[Any] | None: ...


class Receiver(Protocol):
    """The value that a tagged list of the other side's `Sender` stands for."""

    def __call__(self, tag: str, arguments: list[Any], /) -> Any: ...


class Note(Protocol):
    """Told of each value that has a number, and as what it crossed: its node, and the bytes of the arrays in it."""

    def __call__(self, value: object, node: list[Any], bulk: memoryview, /) -> None: ...


def send(channel: socket.socket, value: object, sender: Sender) -> None:
    """Write one frame. Errors: WireError before anything is written where the value cannot cross; OSError."""
    channel.sendall(encode(value, sender))


def receive(
    channel: socket.socket,
    receiver: Receiver,
    wait: Callable[[], None] | None = None,
    note: Note | None = None,
) -> Any:
    """Read one frame and the value in it; `wait` is called before each read and may raise to give up.

    Errors: EOFError where the other side has gone, WireError where the bytes are no frame, OSError.
    """
    structure, bulk = _HEAD.unpack(_read(channel, _HEAD.size, wait))
    if structure > MAX_STRUCTURE or bulk > MAX_BULK:
        raise WireError("the frame is too large")
    return decode(_read(channel, structure, wait), _read(channel, bulk, wait), receiver, note)


def encode(
    value: object, sender: Sender, tensors: bool = True, note: Callable[[object], None] = lambda value: None
) -> bytes:
    """The frame of `value`. tensors: whether they cross as data. Errors: WireError, TooLargeError."""
    bulk: list[bytes] = []
    return frame(_Encoder(sender, bulk, tensors, note).node(value, MAX_DEPTH), bulk)


def frame(node: Any, bulk: Sequence[bytes | memoryview]) -> bytes:
    """The frame of a value that is written already. Errors: TooLargeError."""
    structure = json.dumps(node, ensure_ascii=False).encode("utf-8", "replace")
    size = sum(map(len, bulk))
    if len(structure) > MAX_STRUCTURE or size > MAX_BULK:
        raise TooLargeError("the value is too large")
    return b"".join([_HEAD.pack(len(structure), size), structure, *bulk])


def decode_frame(frame: bytes, receiver: Receiver) -> Any:
    """The value in a whole frame. Errors: WireError."""
    if len(frame) < _HEAD.size:
        raise WireError("the frame is cut off")
    structure, bulk = _HEAD.unpack_from(frame)
    if len(frame) != _HEAD.size + structure + bulk:
        raise WireError("the frame is cut off")
    return decode(frame[_HEAD.size : _HEAD.size + structure], frame[_HEAD.size + structure :], receiver)


def decode(structure: bytes | bytearray, bulk: bytes | bytearray, receiver: Receiver, note: Note | None = None) -> Any:
    """The value of a frame. Errors: WireError."""
    try:
        node = json.loads(structure)
    except (ValueError, RecursionError):
        raise WireError("the structure is not JSON") from None
    decoder = _Decoder(receiver, memoryview(bulk), note)
    value = decoder.value(node, MAX_DEPTH)
    if decoder.offset != len(bulk):
        raise WireError("the arrays do not fill the bulk")
    return value


def _read(channel: socket.socket, size: int, wait: Callable[[], None] | None) -> bytearray:
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        if wait:
            wait()
        with suppress(BlockingIOError):
            count = channel.recv_into(view)
            if count == 0:
                raise EOFError("the other side has gone")
            view = view[count:]
    return buffer


class _Encoder:
    def __init__(self, sender: Sender, bulk: list[bytes], tensors: bool, note: Callable[[object], None]) -> None:
        self._sender = sender
        self._bulk = bulk
        self._tensors = tensors
        self._note = note
        self._open: set[int] = set()  # the lists, tuples and dicts around the value at hand

    def node(self, value: Any, depth: int) -> Any:
        # Exact types from here on: a subclass may lie in its methods. Compared with `is`, since a metaclass may lie in
        # `==`.
        base = as_base(value)
        kind = type(base)
        if base is None or kind is bool or kind is float or kind is str:
            return base
        if kind is int:
            return _integer_node(base)
        if kind is complex:
            return ["complex", base.real, base.imag]
        node = self._with_number(value, base, depth)
        if node[0] != "scalar":
            self._note(value)
        return node

    def _with_number(self, value: Any, base: Any, depth: int) -> list[Any]:
        """What lies too deep or holds itself goes the sender's way, so that the rest can cross."""
        kind = type(base)
        if not (kind is list or kind is tuple or kind is dict):
            return self._entries(base) or self._sent(value, f"a value of type {type_name(value)} cannot cross")
        if depth == 1 or id(value) in self._open:
            return self._sent(value, "the value is nested too deeply")
        self._open.add(id(value))
        nodes = self._nodes(base, depth - 1)
        self._open.remove(id(value))
        return [kind.__name__, *nodes]

    def _nodes(self, container: Any, depth: int) -> list[Any]:
        if type(container) is not dict:
            return [self.node(item, depth) for item in container]
        if len(container) > MAX_ENTRIES:
            raise TooLargeError("the dict has too many entries")
        return [[self.node(key, depth), self.node(item, depth)] for key, item in container.items()]

    def _sent(self, value: object, problem: str) -> list[Any]:
        node = self._sender(value)
        if node is None:
            raise WireError(problem)
        return node

    def _entries(self, value: object) -> list[Any] | None:
        form = form_of(value)
        if form is None or not form.is_plain or (form.kind == "tensor" and not self._tensors):
            return None
        dtype = _sent_dtype(form.dtype)
        _require_room(form.shape, dtype.itemsize)
        entries = entries_of(value)
        if entries is None:
            return None
        self._bulk.append(_bits(entries, form).astype(dtype, order="C", copy=False).tobytes())
        if form.kind == "number" and type(value) is not np.ndarray:
            return ["scalar", form.dtype]
        return ["tensor" if form.kind == "tensor" else "array", form.dtype, list(form.shape)]


class _Decoder:
    def __init__(self, receiver: Receiver, bulk: memoryview, note: Note | None) -> None:
        self._receiver = receiver
        self._bulk = bulk
        self._note = note
        self.offset = 0

    def value(self, node: Any, depth: int) -> Any:
        if depth == 0:
            raise WireError("the value is nested too deeply")
        if node is None or isinstance(node, bool | int | float):
            return node
        if isinstance(node, str):
            return plain_text(node)
        if not isinstance(node, list) or not node or not isinstance(node[0], str):
            raise WireError("a node without a tag")
        start = self.offset
        value = self._tagged(node[0], node[1:], depth - 1)
        if self._note and node[0] in _WITH_NUMBER:
            self._note(value, node, self._bulk[start : self.offset])
        return value

    def _tagged(self, tag: str, rest: list[Any], depth: int) -> Any:
        if tag == "list":
            return [self.value(item, depth) for item in rest]
        if tag == "tuple":
            return tuple(self.value(item, depth) for item in rest)
        if tag == "dict":
            return dict(self._pairs(rest, depth))
        reader = _READERS.get(tag)
        return reader(self, rest) if reader else self._receiver(tag, rest)

    def _pairs(self, pairs: list[Any], depth: int) -> Iterator[tuple[Any, Any]]:
        if len(pairs) > MAX_ENTRIES:
            raise WireError("a dict of too many entries")
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise WireError("a dict entry that is no pair")
            key = self.value(pair[0], depth)
            try:
                hash(key)
            except TypeError:
                raise WireError("a dict key that cannot be one") from None
            yield key, self.value(pair[1], depth)

    def _array(self, rest: list[Any]) -> np.ndarray[Any, Any]:
        name, shape = _described(rest, ARRAY_DTYPES)
        return self._take(name, shape)

    def _scalar(self, rest: list[Any]) -> Any:
        return self._array([*rest, []])[()]

    def _tensor(self, rest: list[Any]) -> Any:
        name, shape = _described(rest, TENSOR_DTYPES)
        array = self._take(name, shape)
        torch = sys.modules.get("torch")
        if torch is None:  # the exercise has no use for tensors, and torch is not loaded for a student's sake
            return Handle(-1, "torch.Tensor")
        tensor = torch.from_numpy(array)
        return tensor.view(torch.bfloat16) if name == "bfloat16" else tensor

    def _take(self, name: str, shape: list[int]) -> np.ndarray[Any, Any]:
        dtype = _sent_dtype(name)
        count = math.prod(shape)
        size = count * dtype.itemsize
        if size > len(self._bulk) - self.offset:
            raise WireError("an array larger than the bulk")
        array = np.frombuffer(self._bulk, dtype, count, self.offset)
        self.offset += size
        return array.reshape(shape).astype(dtype.newbyteorder("="))


_WITH_NUMBER = ("list", "tuple", "dict", "array", "tensor", "handle", "opaque")

# Not bound to a decoder, which would hold itself in a circle and so the bulk, until Python looks for circles.
_READERS: dict[str, Callable[[_Decoder, list[Any]], Any]] = {
    "int": lambda _, rest: _integer(rest),
    "complex": lambda _, rest: _complex(rest),
    "array": _Decoder._array,
    "scalar": _Decoder._scalar,
    "tensor": _Decoder._tensor,
}


def _sent_dtype(name: str) -> np.dtype[Any]:
    """NumPy has no bfloat16: its bits travel as integers."""
    return np.dtype("int16" if name == "bfloat16" else name).newbyteorder("<")


def _bits(entries: np.ndarray[Any, Any], form: Form) -> np.ndarray[Any, Any]:
    """The upper half of a float32 is a bfloat16."""
    return (entries.view(np.int32) >> 16) if form.dtype == "bfloat16" else entries


def _described(rest: list[Any], dtypes: frozenset[str]) -> tuple[str, list[int]]:
    if len(rest) != 2 or not isinstance(rest[0], str) or rest[0] not in dtypes or not isinstance(rest[1], list):
        raise WireError("an array without dtype and shape")
    name, shape = rest
    if any(type(size) is not int or size < 0 for size in shape):
        raise WireError("an array with an impossible shape")
    _require_room(shape, 1)
    return name, shape


def _require_room(shape: Sequence[int], itemsize: int) -> None:
    """The rule of both sides; an empty array counts as if its empty dimensions were not there, as it does in NumPy."""
    if len(shape) > MAX_DIMENSIONS or math.prod(size or 1 for size in shape) * itemsize > MAX_BULK:
        raise TooLargeError("the array is too large")


def _integer_node(value: int) -> int | list[str]:
    if abs(value) < _JSON_INTEGERS:
        return value
    if len(digits := hex(value)) > _LONGEST_INTEGER:
        raise TooLargeError("the integer is too large")
    return ["int", digits]


def _integer(rest: list[Any]) -> int:
    if len(rest) != 1 or not isinstance(rest[0], str) or len(rest[0]) > _LONGEST_INTEGER:
        raise WireError("an integer without digits")
    try:
        return int(rest[0], 16)
    except ValueError:
        raise WireError("an integer of other digits") from None


def _complex(rest: list[Any]) -> complex:
    if len(rest) != 2 or not all(type(part) is float for part in rest):
        raise WireError("a complex number without two parts")
    return complex(*rest)
