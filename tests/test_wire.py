"""What crosses the wire comes out as it went in, and nothing that the other side sends does harm."""

from __future__ import annotations

import json
import math
import socket
import struct
import threading
import tracemalloc
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from autograder import wire
from autograder.values import Handle
from autograder.wire import TooLargeError, WireError, decode, encode, frame, receive, send

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
TENSOR_DTYPES = [
    torch.bool,
    *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
]


def no_way(value: object) -> None:
    """The sender of a side that has nothing but data."""


def handles_only(tag: str, arguments: list[Any]) -> Handle:
    match tag, arguments:
        case "handle", [int(number), str(type_name)]:
            return Handle(number, type_name)
    raise WireError("an unknown tag")


def parts(frame: bytes) -> tuple[bytes, bytes]:
    structure, bulk = struct.unpack("!II", frame[:8])
    assert len(frame) == 8 + structure + bulk
    return frame[8 : 8 + structure], frame[8 + structure :]


def crossed(value: object) -> Any:
    return decode(*parts(encode(value, no_way)), handles_only)


def decoded(node: object, bulk: bytes = b"") -> Any:
    return decode(json.dumps(node).encode(), bulk, handles_only)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are of one type and alike in every bit, with NaN like NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        return is_same(list(one.items()), list(other.items()))
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and is_same(as_bits(one), as_bits(other))
    if isinstance(one, np.ndarray | np.generic):
        return (one.dtype, one.shape) == (other.dtype, other.shape) and one.tobytes() == other.tobytes()
    if isinstance(one, complex):
        return is_same([one.real, one.imag], [other.real, other.imag])
    if isinstance(one, float):
        return struct.pack("d", one) == struct.pack("d", other) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def as_bits(tensor: torch.Tensor) -> Any:
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return (plain.view(torch.int16) if plain.dtype is torch.bfloat16 else plain).numpy()


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """Fail where the block takes more memory than `size` bytes at any time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


# --- round trips ---

shapes = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
arrays = st.sampled_from(DTYPES).flatmap(lambda dtype: npst.arrays(dtype, shapes))
scalars = st.sampled_from(DTYPES).flatmap(lambda dtype: npst.from_dtype(np.dtype(dtype)))
big_integers = st.integers(-(2**3900), 2**3900) | st.integers(2**53 - 2, 2**53 + 2) | st.integers()
plain = st.none() | st.booleans() | big_integers | st.floats() | st.complex_numbers() | st.text()


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    dtype, shape = draw(st.sampled_from(TENSOR_DTYPES)), draw(shapes)
    numbers = draw(st.lists(st.integers(0, 255), min_size=1, max_size=8))
    return torch.tensor(numbers).to(dtype).repeat(max(1, math.prod(shape)))[: math.prod(shape)].reshape(shape)


leaves = plain | arrays | scalars | tensors()
keys = st.recursive(plain | scalars, lambda key: st.tuples(key, key), max_leaves=3)
values = st.recursive(
    leaves,
    lambda value: st.lists(value) | st.lists(value).map(tuple) | st.dictionaries(keys, value, max_size=4),
    max_leaves=12,
)


@given(values)
def test_a_value_comes_out_as_it_went_in(value: object) -> None:
    assert is_same(crossed(value), value)


@given(arrays, st.sampled_from(["transposed", "backwards", "every other", "Fortran", "big-endian", "read-only"]))
def test_the_layout_of_an_array_in_memory_does_not_matter(array: Any, layout: str) -> None:
    laid_out = {
        "transposed": lambda: array.T,
        "backwards": lambda: array[(..., *[slice(None, None, -1)] * array.ndim)],
        "every other": lambda: array[(..., *[slice(None, None, 2)] * array.ndim)],
        "Fortran": lambda: np.asfortranarray(array).reshape(array.shape),
        "big-endian": lambda: array.astype(array.dtype.newbyteorder(">")),
        "read-only": lambda: np.broadcast_to(array, (2, *array.shape)),
    }[layout]()
    result = crossed(laid_out)
    assert is_same(result, np.array(laid_out, dtype=laid_out.dtype.newbyteorder("=")))
    assert result.flags.writeable


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,) * 16, (2, 3)], ids=str)
def test_every_dtype_crosses_in_every_shape(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    assert is_same(crossed(array), array)
    scalar = np.dtype(dtype).type(1)
    assert is_same(crossed(scalar), scalar)


@pytest.mark.parametrize("dtype", TENSOR_DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,) * 16, (2, 3)], ids=str)
def test_every_tensor_dtype_crosses_in_every_shape(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = torch.arange(math.prod(shape)).reshape(shape).to(dtype)
    assert is_same(crossed(tensor), tensor)


@pytest.mark.parametrize("value", [np.arange(3.0), torch.arange(3.0)], ids=["array", "tensor"])
def test_what_arrives_has_memory_of_its_own(value: Any) -> None:
    structure, bulk = parts(encode(value, no_way))
    first = decode(structure, bulk, handles_only)
    first[:] = 7
    assert is_same(decode(structure, bulk, handles_only), value)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).reshape(2, 3).T,
        torch.arange(6.0)[::2],
        torch.ones(1).expand(3, 4),
        torch.tensor([1 + 2j, 3 - 1j]).conj(),
        torch.tensor([1 + 2j, 3 - 1j]).conj().imag,
        torch._neg_view(torch.arange(3.0)),
        torch.ones(2, requires_grad=True) * 3,
        torch.tensor([math.nan, math.inf, -0.0], dtype=torch.bfloat16),
    ],
    ids=["transposed", "strided", "expanded", "conjugate", "negated part", "negated", "in a graph", "odd bfloat16"],
)
def test_a_tensor_crosses_as_its_plain_values(tensor: torch.Tensor) -> None:
    result = crossed(tensor)
    assert is_same(as_bits(result), as_bits(tensor))
    assert not result.requires_grad


def test_a_parameter_arrives_as_a_tensor() -> None:
    assert is_same(crossed(torch.nn.Parameter(torch.ones(2))), torch.ones(2))


def test_arrays_are_found_again_in_order_between_other_values() -> None:
    value = {"a": [np.arange(3), (np.float32(1.5), "text")], ("b", 1): torch.arange(2), "c": np.zeros((0, 2))}
    assert is_same(crossed(value), value)


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    """It is legal in Python and in no file, so it could not be written into a report."""
    assert crossed(["a\ud800b", {"\udfff": 1}]) == ["a?b", {"?": 1}]


def test_a_handle_comes_back_by_what_the_sender_writes() -> None:
    thing = object()
    frame = encode([thing, 1], lambda value: ["handle", 7, type(value).__name__])
    assert decode(*parts(frame), handles_only) == [Handle(7, "object"), 1]


class _Text(str):
    pass


class _Float(float):
    pass


class _Scalar(np.float64):
    pass


class _Tensor(torch.Tensor):
    pass


class _Pair(NamedTuple):
    a: object
    cache: object


class _Liar(list[int]):
    """Redefines what it can."""

    def __iter__(self) -> Iterator[int]:
        return iter([1, 2, 3])

    __len__ = __bool__ = __eq__ = __class__ = None  # type: ignore[assignment]


SUBCLASSES_OF_PYTHONS_TYPES = [
    (_Text("a"), "a"),
    (_Float(1.5), 1.5),
    (IntEnum("Number", "ONE").ONE, 1),
    (OrderedDict(a=1), {"a": 1}),
    (defaultdict(list, {"a": [1]}), {"a": [1]}),
    (_Scalar(1.5), 1.5),
    (_Pair(1.0, _Pair(2, _Text("b"))), (1.0, (2, "b"))),
    (torch.Size([2, 3]), (2, 3)),
    (_Liar([7]), [7]),
]


@pytest.mark.parametrize(("value", "base"), SUBCLASSES_OF_PYTHONS_TYPES, ids=lambda value: type(value).__name__)
def test_a_subclass_of_a_python_type_crosses_as_its_base_whatever_it_redefines(value: object, base: object) -> None:
    came = decode(*parts(encode(value, no_way)), handles_only)
    assert type(came) is type(base)
    assert came == base


@pytest.mark.parametrize("value", [np.ma.array([1, 2]), torch.ones(1).as_subclass(_Tensor)])
def test_a_subclass_of_array_or_tensor_goes_the_senders_way(value: object) -> None:
    asked = []

    def sender(value: object) -> list[Any]:
        asked.append(value)
        return ["handle", 0, "it"]

    encode(value, sender)
    assert [one is value for one in asked] == [True]


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        ([1, {"a": np.ones(3)}], torch.ones(2, dtype=torch.bfloat16), np.float32(1), np.array(2.0), (), "text", 2j),
        {"kept": (object(), [object()]), 3: [[], [[]]]},
        [_Pair(np.zeros((2, 0)), {1: _Text("a")})],
    ],
    ids=["number", "tuple", "dict", "list"],
)
def test_both_sides_number_the_same_values_and_can_write_each_again(value: object) -> None:
    sent: list[object] = []
    came: list[tuple[object, list[Any], memoryview]] = []
    whole = encode(value, lambda _: ["handle", 0, "object"], note=sent.append)
    decode(*parts(whole), handles_only, lambda *noted: came.append(noted))
    assert len(sent) == len(came)
    for mine, (theirs, node, bulk) in zip(sent, came, strict=True):
        assert encode(mine, lambda _: ["handle", 0, "object"]) == frame(node, [bulk])
        assert isinstance(theirs, Handle) or encode(theirs, _again) == frame(node, [bulk])


def _again(value: object) -> list[Any]:
    assert isinstance(value, Handle)
    return ["handle", value.handle_number, value.handle_type]


OTHERS = [
    object(),
    {1, 2},
    b"bytes",
    print,
    np.array(["text"]),
    np.array([None]),
    np.array([(1, 2.0)], dtype="i4,f8"),
    np.longdouble(1),
    np.datetime64("2024-01-01"),
    torch.ones(2).to_sparse(),
    torch.ones(2, device="meta"),
    torch.ones(2).to(torch.float8_e4m3fn),
]


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: type(value).__name__)
def test_what_is_no_plain_data_cannot_cross_without_a_sender(value: object) -> None:
    with pytest.raises(WireError, match="cannot cross"):
        encode(value, no_way)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_nested_tensor_goes_the_senders_way_since_it_has_no_shape() -> None:
    tensor = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.strided)
    frame = encode(tensor, lambda _: ["handle", 0, "Tensor"])
    assert decode(*parts(frame), handles_only) == Handle(0, "Tensor")


# --- sizes ---


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_lists_may_be_nested_thirty_one_deep_and_no_deeper() -> None:
    assert crossed(nested(31)) == nested(31)
    with pytest.raises(WireError, match="too deeply"):
        encode(nested(32), no_way)


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(WireError, match="too deeply"):
        encode(endless, no_way)


def test_what_lies_too_deep_or_holds_itself_goes_the_senders_way_and_the_rest_crosses() -> None:
    endless: list[Any] = [1]
    endless += [endless, endless]
    frame = encode([endless, nested(50)], lambda value: ["handle", 0, type(value).__name__])
    around, deep = decode(*parts(frame), handles_only)
    assert around == [1, Handle(0, "list"), Handle(0, "list")]
    for _ in range(30):
        (deep,) = deep
    assert deep == Handle(0, "list")


@pytest.mark.parametrize(
    "value",
    [
        np.broadcast_to(np.zeros(1), (1 << 20, 1 << 10)),
        torch.zeros(1).expand(1 << 20, 1 << 20),
    ],
    ids=["array", "tensor"],
)
def test_what_is_too_large_is_refused_before_memory_is_taken(value: object) -> None:
    with at_most(1 << 20), pytest.raises(TooLargeError):
        encode(value, no_way)


def test_all_arrays_of_a_value_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_BULK", 100)
    encode([np.zeros(6), np.zeros(6)], no_way)
    with pytest.raises(TooLargeError):
        encode([np.zeros(6), np.zeros(7)], no_way)


def test_a_text_longer_than_a_structure_may_be_is_refused() -> None:
    with pytest.raises(TooLargeError):
        encode("a" * (8 << 20), no_way)


@pytest.mark.parametrize(
    "value",
    [
        16**996,
        10**2000,
        -(10**5000),
        np.zeros((1,) * 17),
        torch.zeros((1,) * 17),
        np.zeros((0, 1 << 40)),
        np.zeros((0, 1 << 28, 1 << 20)),
        torch.zeros((1 << 29, 0)),
    ],
    ids=lambda value: str(getattr(value, "shape", "integer")),
)
def test_what_one_side_writes_the_other_can_read(value: object) -> None:
    """A refusal by the reader would look like a crash of the student's process."""
    try:
        frame = encode(value, no_way)
    except WireError:
        return
    assert is_same(decode(*parts(frame), handles_only), value)


# --- sockets ---


@pytest.fixture
def channels() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.settimeout(10)
    theirs.settimeout(10)
    with ours, theirs:
        yield ours, theirs


def in_background(work: Callable[[], object]) -> None:
    threading.Thread(target=work, daemon=True).start()


def test_frames_follow_each_other_on_a_socket(channels: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = channels
    sent = [np.arange(100_000.0), "between", torch.ones(3)]
    in_background(lambda: [send(theirs, value, no_way) for value in sent])
    assert is_same([receive(ours, handles_only) for _ in sent], sent)


def test_a_frame_may_arrive_byte_by_byte(channels: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = channels
    frame = encode({"x": np.arange(3)}, no_way)
    in_background(lambda: [theirs.sendall(bytes([byte])) for byte in frame])
    assert is_same(receive(ours, handles_only), {"x": np.arange(3)})


def test_nothing_is_written_of_a_value_that_cannot_cross(channels: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = channels
    with pytest.raises(WireError):
        send(theirs, [np.zeros(3), object()], no_way)
    send(theirs, "next", no_way)
    assert receive(ours, handles_only) == "next"


@pytest.mark.parametrize("lengths", [((8 << 20) + 1, 0), (0, (256 << 20) + 1), (2**32 - 1, 2**32 - 1)], ids=str)
def test_lengths_beyond_the_caps_are_refused_before_more_is_read(
    channels: tuple[socket.socket, socket.socket], lengths: tuple[int, int]
) -> None:
    ours, theirs = channels
    theirs.sendall(struct.pack("!II", *lengths))
    with at_most(1 << 16), pytest.raises(WireError, match="too large"):
        receive(ours, handles_only)


@pytest.mark.parametrize("sent", [0, 3, 8, 12, -1])
def test_an_end_in_the_middle_of_a_frame_is_an_eof_error(
    channels: tuple[socket.socket, socket.socket], sent: int
) -> None:
    ours, theirs = channels
    theirs.sendall(encode(np.arange(3), no_way)[:sent])
    theirs.close()
    with pytest.raises(EOFError):
        receive(ours, handles_only)


def test_waiting_can_be_given_up_before_any_read(channels: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = channels
    theirs.sendall(encode("there", no_way)[:10])
    waits = iter([None, None])

    def wait() -> None:
        if next(waits, "over") == "over":
            raise InterruptedError("waited long enough")

    with pytest.raises(InterruptedError, match="waited long enough"):
        receive(ours, handles_only, wait)


# --- hostile frames ---


def refused_or_read(structure: bytes, bulk: bytes) -> None:
    """Decode; anything but a value or a WireError fails the test, and so does an array out of thin air."""
    try:
        value = decode(structure, bulk, handles_only)
    except WireError:
        return
    assert held(value) == len(bulk)


def held(value: object) -> int:
    """The bytes of all arrays in a value."""
    if isinstance(value, list | tuple):
        return sum(map(held, value))
    if isinstance(value, dict):
        return held(list(value.items()))
    if isinstance(value, np.ndarray | np.generic | torch.Tensor):
        return int(value.nbytes)
    return 0


@given(st.binary(), st.binary())
@example(b"", b"")
@example(b"\xff\xfe", b"")
@example(b"9" * 5000, b"")
@example(b"1e999", b"")
@example(b"[" * 1_000_000, b"")
@example(b'{"a":' * 200_000, b"")
@example(b'["list",' * 40 + b"1" + b"]" * 40, b"")
def test_random_bytes_are_refused_or_read(structure: bytes, bulk: bytes) -> None:
    refused_or_read(structure, bulk)


@given(values, st.data())
def test_a_damaged_frame_is_refused_or_read(value: object, data: st.DataObject) -> None:
    structure, bulk = map(bytearray, parts(encode(value, no_way)))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(structure)))
        length = data.draw(st.integers(0, 3))
        structure[place : place + length] = data.draw(st.binary(max_size=3) | st.sampled_from([b"0", b"]", b"[", b"-"]))
    bulk = bulk[: data.draw(st.integers(0, len(bulk)))] + data.draw(st.binary(max_size=8))
    refused_or_read(bytes(structure), bytes(bulk))


tags = st.sampled_from(
    ["list", "tuple", "dict", "int", "complex", "array", "scalar", "tensor", "handle", "callback", "\ud800", ""]
)
dtypes = st.sampled_from([*DTYPES, "bfloat16", "object", "O", "float128", "str", "datetime64", ">f8", "", "\ud800"])
sizes = st.integers(-2, 4) | st.sampled_from([-(2**63), 2**28, 2**31, 2**63, 2**64, 10**400, True, 1.0, math.nan])
odd = st.none() | st.booleans() | sizes | st.floats() | st.text() | dtypes | tags
hostile_nodes = st.recursive(
    odd
    | st.tuples(st.sampled_from(["array", "tensor", "scalar"]), dtypes, st.lists(sizes, max_size=18))
    | st.tuples(st.just("int"), st.text("0123456789abcdefx-_ ٣", max_size=8)),
    lambda node: (
        st.builds(lambda tag, rest: [tag, *rest], tags, st.lists(node, max_size=4))
        | st.builds(lambda pairs: ["dict", *pairs], st.lists(st.lists(node, min_size=1, max_size=3), max_size=3))
        | st.lists(node, max_size=3)
        | st.dictionaries(st.text(max_size=3), node, max_size=2)
    ),
    max_leaves=12,
)


@settings(max_examples=200)
@given(hostile_nodes, st.binary(max_size=32))
def test_a_hostile_structure_is_refused_or_read(node: object, bulk: bytes) -> None:
    refused_or_read(json.dumps(node).encode(), bulk)


HOSTILE: list[tuple[Any, bytes]] = [
    ({}, b""),
    ({"list": 1}, b""),
    ([], b""),
    ([[]], b""),
    ([1, 2], b""),
    (["unknown"], b""),
    (["handle"], b""),
    (["dict", 1], b""),
    (["dict", [1]], b""),
    (["dict", [1, 2, 3]], b""),
    (["dict", [["list"], 1]], b""),
    (["dict", [["tuple", ["list"]], 1]], b""),
    (["dict", [["array", "int8", [0]], 1]], b""),
    (["int"], b""),
    (["int", 5], b""),
    (["int", ""], b""),
    (["int", "0x"], b""),
    (["int", "1" * 5000], b""),
    (["complex", 1.0], b""),
    (["complex", "1", "2"], b""),
    (["complex", 1, 2], b""),
    (["array"], b""),
    (["array", "float64"], b""),
    (["array", "float64", 1], b"\0" * 8),
    (["array", "object", [1]], b"\0" * 8),
    (["array", "bfloat16", [1]], b"\0" * 2),
    (["array", ">f8", [1]], b"\0" * 8),
    (["array", ["float64"], [1]], b"\0" * 8),
    (["array", "float64", [-1]], b""),
    (["array", "float64", [-1, -1]], b"\0" * 8),
    (["array", "float64", [1.0]], b"\0" * 8),
    (["array", "float64", [True]], b"\0" * 8),
    (["array", "float64", [None]], b""),
    (["array", "float64", [2]], b"\0" * 15),
    (["array", "float64", [2]], b"\0" * 17),
    (["array", "float64", [1] * 17], b"\0" * 8),
    (["array", "float64", [1 << 60]], b"\0" * 8),
    (["array", "float64", [10**400]], b"\0" * 8),
    (["array", "float64", [1 << 28] * 15], b""),
    (["scalar", "float64", []], b"\0" * 8),
    (["scalar", "float64"], b""),
    (["tensor", "uint64", [1]], b"\0" * 8),
    (["list", ["array", "int8", [1]], ["array", "int8", [1]]], b"\0"),
    ("no array", b"\0"),
]


@pytest.mark.parametrize(("node", "bulk"), HOSTILE, ids=[json.dumps(node)[:40] for node, _ in HOSTILE])
def test_a_frame_that_lies_is_refused_without_taking_memory(node: object, bulk: bytes) -> None:
    structure = json.dumps(node).encode()
    with at_most(1 << 17), pytest.raises(WireError):
        decode(structure, bulk, handles_only)


@pytest.mark.parametrize("tag", ["array", "tensor"])
@pytest.mark.parametrize("shape", [[0] + [1 << 28] * 15, [1 << 28] * 15 + [0], [0, 1 << 28, 1 << 28, 1 << 28]], ids=len)
def test_an_empty_array_of_an_impossible_shape_is_no_fault_of_ours(tag: str, shape: list[int]) -> None:
    """It holds nothing, so no length betrays it; but no array can have such a shape."""
    with pytest.raises(WireError):
        decoded([tag, "float64", shape])
