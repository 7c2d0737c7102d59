"""What crosses between the grader and the student's process: frames of plain data, never pickles, never code.

A frame is

    4 bytes  length of the structure, big-endian
    4 bytes  length of the bulk, big-endian
    structure, JSON (UTF-8)
    bulk, the raw bytes of all arrays in order of appearance, C order, little-endian

JSON null, booleans, numbers and strings stand for themselves. Everything else is a JSON list that starts with a tag:

    ["list", node, ...]  ["tuple", node, ...]  ["dict", [node, node], ...]  ["int", "digits"]
    ["array", dtype, shape]  ["scalar", dtype]  ["tensor", dtype, shape]
    ["handle", number, type name]     a value that stays in the student's process
    ["callback", number]              a function that stays in the grader's process

This module is loaded on both sides. The reader believes nothing: every length is checked before memory is taken,
every tag, dtype and shape before it is used.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

MAX_STRUCTURE = 8 << 20
MAX_BULK = 256 << 20
MAX_DEPTH = 32
MAX_DIMENSIONS = 16
MAX_ENTRIES = 5000  # of a dict: keys that are chosen to collide cost the square of their number

_HEAD = struct.Struct("!II")
_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)
_TENSOR_DTYPES = (_DTYPES - {"uint16", "uint32", "uint64"}) | {"bfloat16"}
_SCALARS = frozenset(kind for kind in np.sctypeDict.values() if np.dtype(kind).name in _DTYPES)
_JSON_INTEGERS = 1 << 53
_LONGEST_INTEGER = 1000  # hexadecimal digits


class WireError(Exception):
    """The bytes are not a frame, or the value cannot be one."""


class TooLargeError(WireError):
    """The value is larger than what may cross."""


@dataclass(frozen=True)
class Handle:
    """A value that stays in the student's process; it can be passed back as an argument."""

    number: int
    type_name: str


class Sender(Protocol):
    """What to write for a value that cannot cross as data: the tagged list, or None where there is no way."""

    def __call__(self, value: object, /) -> list[Any] | None: ...


class Receiver(Protocol):
    """The value that a tagged list of the other side's `Sender` stands for."""

    def __call__(self, tag: str, arguments: list[Any], /) -> Any: ...


def send(channel: socket.socket, value: object, sender: Sender) -> None:
    """Write one frame. Errors: WireError before anything is written where the value cannot cross; OSError."""
    channel.sendall(encode(value, sender))


def receive(channel: socket.socket, receiver: Receiver, wait: Callable[[], None] | None = None) -> Any:
    """Read one frame and the value in it; `wait` is called before each read and may raise to give up.

    Errors: EOFError where the other side has gone, WireError where the bytes are no frame, OSError.
    """
    structure, bulk = _HEAD.unpack(_read(channel, _HEAD.size, wait))
    if structure > MAX_STRUCTURE or bulk > MAX_BULK:
        raise WireError("the frame is too large")
    return decode(_read(channel, structure, wait), _read(channel, bulk, wait), receiver)


def encode(value: object, sender: Sender, tensors: bool = True) -> bytes:
    """The frame of `value`. tensors: whether they cross as data. Errors: WireError, TooLargeError."""
    bulk: list[bytes] = []
    node = _Encoder(sender, bulk, tensors).node(value, MAX_DEPTH)
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


def decode(structure: bytes | bytearray, bulk: bytes | bytearray, receiver: Receiver) -> Any:
    """The value of a frame. Errors: WireError."""
    try:
        node = json.loads(structure)
    except (ValueError, RecursionError):
        raise WireError("the structure is not JSON") from None
    decoder = _Decoder(receiver, memoryview(bulk))
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
    def __init__(self, sender: Sender, bulk: list[bytes], tensors: bool) -> None:
        self._sender = sender
        self._bulk = bulk
        self._torch = sys.modules.get("torch") if tensors else None

    def node(self, value: object, depth: int) -> Any:
        if depth == 0:
            raise WireError("the value is nested too deeply")
        # Exact types only: a subclass may lie in any of its methods, so it goes the sender's way.
        kind = type(value)
        if value is None or kind in (bool, float, str):
            return value
        if kind is int:
            return _integer_node(value)  # type: ignore[arg-type]
        if kind in (list, tuple):
            return [kind.__name__, *(self.node(item, depth - 1) for item in value)]  # type: ignore[attr-defined]
        if kind is dict:
            if len(value) > MAX_ENTRIES:  # type: ignore[arg-type]
                raise TooLargeError("the dict has too many entries")
            pairs = value.items()  # type: ignore[attr-defined]
            return ["dict", *([self.node(key, depth - 1), self.node(item, depth - 1)] for key, item in pairs)]
        node = self._array(value) or self._tensor(value) or self._sender(value)
        if node is None:
            raise WireError(f"a value of type {kind.__name__} cannot cross")
        return node

    def _array(self, value: object) -> list[Any] | None:
        is_scalar = type(value) in _SCALARS
        if not (type(value) is np.ndarray or is_scalar) or value.dtype.name not in _DTYPES:  # type: ignore[attr-defined]
            return None
        array = np.asarray(value)
        self._add(array)
        return ["scalar", array.dtype.name] if is_scalar else ["array", array.dtype.name, list(array.shape)]

    def _tensor(self, value: object) -> list[Any] | None:
        torch = self._torch
        if torch is None or type(value) not in (torch.Tensor, torch.nn.Parameter):
            return None
        dtype = str(value.dtype).removeprefix("torch.")  # type: ignore[attr-defined]
        plain = value.layout is torch.strided and value.device.type == "cpu" and not value.is_nested  # type: ignore[attr-defined]
        if not plain or dtype not in _TENSOR_DTYPES:
            return None
        _require_room(value.shape, value.element_size())  # type: ignore[attr-defined]
        tensor = value.detach().resolve_conj().resolve_neg().contiguous()  # type: ignore[attr-defined]
        # NumPy has no bfloat16: its bits travel as integers.
        self._add((tensor.view(torch.int16) if dtype == "bfloat16" else tensor).numpy())
        return ["tensor", dtype, list(tensor.shape)]

    def _add(self, array: np.ndarray[Any, Any]) -> None:
        _require_room(array.shape, array.itemsize)
        self._bulk.append(array.astype(array.dtype.newbyteorder("<"), order="C", copy=False).tobytes())


class _Decoder:
    def __init__(self, receiver: Receiver, bulk: memoryview) -> None:
        self._receiver = receiver
        self._bulk = bulk
        self.offset = 0

    def value(self, node: Any, depth: int) -> Any:
        if depth == 0:
            raise WireError("the value is nested too deeply")
        if node is None or isinstance(node, bool | int | float):
            return node
        if isinstance(node, str):
            return _text(node)
        if not isinstance(node, list) or not node or not isinstance(node[0], str):
            raise WireError("a node without a tag")
        return self._tagged(node[0], node[1:], depth - 1)

    def _tagged(self, tag: str, rest: list[Any], depth: int) -> Any:
        if tag == "list":
            return [self.value(item, depth) for item in rest]
        if tag == "tuple":
            return tuple(self.value(item, depth) for item in rest)
        if tag == "dict":
            return dict(self._pairs(rest, depth))
        if tag == "int":
            return _integer(rest)
        if tag == "array":
            return self._array(rest)
        if tag == "scalar":
            return self._array([*rest, []])[()]
        if tag == "tensor":
            return self._tensor(rest)
        return self._receiver(tag, rest)

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
        name, shape = _described(rest, _DTYPES)
        dtype = np.dtype(name)
        return self._take(dtype, shape).astype(dtype.newbyteorder("="))

    def _tensor(self, rest: list[Any]) -> Any:
        name, shape = _described(rest, _TENSOR_DTYPES)
        array = self._take(np.dtype("int16" if name == "bfloat16" else name), shape).copy()
        torch = sys.modules.get("torch")
        if torch is None:  # the exercise has no use for tensors, and torch is not loaded for a student's sake
            return Handle(-1, "torch.Tensor")
        tensor = torch.from_numpy(array)
        return tensor.view(torch.bfloat16) if name == "bfloat16" else tensor

    def _take(self, dtype: np.dtype[Any], shape: list[int]) -> np.ndarray[Any, Any]:
        count = math.prod(shape)
        size = count * dtype.itemsize
        if size > len(self._bulk) - self.offset:
            raise WireError("an array larger than the bulk")
        array = np.frombuffer(self._bulk, dtype.newbyteorder("<"), count, self.offset)
        self.offset += size
        return array.reshape(shape)


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


def _text(text: str) -> str:
    """A lone surrogate is legal in Python and in no file, and no text may stop a report from being written."""
    return text.encode("utf-8", "replace").decode("utf-8")
