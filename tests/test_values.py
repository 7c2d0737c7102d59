"""What a value is, and that students' checks and hidden tests come to the same verdict on every kind of value."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from autograder import testing, values, wire
from autograder.grading.student import Student
from autograder.isolation.callbacks import incoming
from autograder.isolation.sandbox import Sandbox
from autograder.values import ARRAY_DTYPES, TENSOR_DTYPES, Handle, entries_of, form_of, plain_text, type_name
from tests.checks.test_runtime import checks_source
from tests.sessions import GRADE, play

# --- the rule ---


@pytest.mark.parametrize("value", [True, 3, -(2**80), 2.5, 1j, np.float16(1), np.longlong(1), np.True_, np.array(2.0)])
def test_a_number_is_a_number_however_it_is_written(value: object) -> None:
    form = form_of(value)
    assert form is not None
    assert (form.kind, form.shape, form.is_plain) == ("number", (), True)
    assert form.dtype in ARRAY_DTYPES


@pytest.mark.parametrize("make", [torch.nn.Parameter, torch.Tensor.double, torch.Tensor.bfloat16, lambda x: x[::2].T])
def test_a_tensor_is_a_tensor_whoever_owns_it(make: Callable[[torch.Tensor], torch.Tensor]) -> None:
    tensor = make(torch.arange(6.0).reshape(2, 3))
    form, entries = form_of(tensor), entries_of(tensor)
    assert form is not None
    assert form.dtype in TENSOR_DTYPES
    assert entries is not None
    assert (form.kind, form.shape, form.is_plain) == ("tensor", entries.shape, True)
    assert entries.tolist() == tensor.tolist()


def test_an_array_of_no_plain_dtype_has_a_form_and_no_entries() -> None:
    for array in (np.array([None]), np.array("text"), np.zeros(2, "i4,f8"), np.ones((), np.longdouble)):
        form = form_of(array)
        assert form is not None
        assert (form.kind, form.is_plain) == ("array", False)
        assert entries_of(array) is None


def test_an_integer_beyond_64_bits_has_no_entries() -> None:
    assert entries_of(2**63 - 1) == 2**63 - 1
    assert entries_of(2**63) is None


def test_a_subclass_of_a_number_is_one_by_its_base() -> None:
    one = IntEnum("N", "ONE").ONE
    assert form_of(one) == form_of(1)
    assert entries_of(one) == 1


def test_long_doubles_tuples_and_texts_are_no_numbers() -> None:
    for value in (np.longdouble(1), np.timedelta64(1), torch.Size([1]), "text"):
        assert form_of(value) is None
        assert entries_of(value) is None


def test_a_value_is_called_by_its_type_and_a_handle_by_what_it_stands_for() -> None:
    assert type_name([]) == "list"
    assert type_name(Handle(1, "Cache")) == "Cache"
    assert type_name(trapped()) == "Trapped"


def test_a_lone_surrogate_counts_as_a_question_mark() -> None:
    assert plain_text("a\ud800ü") == "a?ü"


def test_torch_is_never_imported_and_nothing_of_the_package() -> None:
    code = "import sys, autograder.values; sys.exit('torch' in sys.modules or autograder.values.is_tensor(1))"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
    assert "import autograder" not in Path(values.__file__).read_text(encoding="utf-8")
    assert "from autograder" not in Path(values.__file__).read_text(encoding="utf-8")


# --- values of every kind ---


def trapped() -> object:
    """An object whose every question about itself or its class ends the program."""

    class Trap(type):
        def __getattribute__(cls, name: str) -> Any:
            raise SystemExit(name)

        def __eq__(cls, other: object) -> bool:
            raise SystemExit

        def __hash__(cls) -> int:
            raise SystemExit

    class Trapped(metaclass=Trap):
        def __getattribute__(self, name: str) -> Any:
            raise SystemExit(name)

    return Trapped()


def escaped(transform: Callable[..., Any]) -> torch.Tensor:
    """A tensor that has been taken out of a function that torch transforms, where it has no entries."""
    seen: list[torch.Tensor] = []
    transform(lambda x: (seen.append(x), x.sum())[1])(torch.ones(2, 3))
    return seen[0]


class _Array(np.ndarray[Any, Any]):
    pass


class _Tensor(torch.Tensor):
    pass


class _Float(float):
    pass


class _Text(str):
    pass


Pair = namedtuple("Pair", "x y")

FORMS_OF_AN_ARRAY: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "transposed twice": lambda x: np.ascontiguousarray(x.T).T,
    "Fortran": np.asfortranarray,
    "every other": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    "backwards": lambda x: np.flip(np.flip(x).copy()),
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "read-only": lambda x: np.broadcast_to(x, x.shape),
    "a view of bytes": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "transposed": lambda x: x.T,
    "a scalar": lambda x: x.flat[0] if x.size else x,
    "without dimensions": lambda x: np.array(x.flat[0]) if x.size else x,
    "a Python number": lambda x: x.flat[0].item() if x.size else x,
    "a list": lambda x: x.tolist(),
    "a subclass": lambda x: x.view(_Array),
    "masked": np.ma.masked_array,
    "objects": lambda x: x.astype(object),
    "text": lambda x: x.astype(str),
    "float16": lambda x: x.astype(np.float16),
    "float32": lambda x: x.astype(np.float32),
    "float64": lambda x: x.astype(np.float64),
    "long double": lambda x: x.astype(np.longdouble),
    "complex": lambda x: x.astype(np.complex128),
    "int64": lambda x: x.astype(np.int64),
    "bool": lambda x: x.astype(bool),
    "dates": lambda x: x.astype(np.int64).astype("M8[s]"),
    "records": lambda x: np.zeros(x.shape, "i4,f8"),
    "doubled": lambda x: x + x,
    "off by a little": lambda x: x + x.dtype.type(1),
    "not a number": lambda x: x * np.float64("nan"),
    "infinite": lambda x: x + np.float64("inf"),
    "a tensor": lambda x: torch.from_numpy(np.ascontiguousarray(x).astype(np.float64)),
}

FORMS_OF_A_TENSOR: dict[str, Callable[[torch.Tensor], Any]] = {
    "itself": lambda x: x,
    "a Parameter": lambda x: torch.nn.Parameter(x, requires_grad=x.is_floating_point()),
    "in a graph": lambda x: x.clone().requires_grad_(x.is_floating_point()) * 1,
    "a leaf": lambda x: x.clone().requires_grad_(x.is_floating_point()),
    "transposed twice": lambda x: x.mT.contiguous().mT if x.ndim > 1 else x,
    "every other": lambda x: x.repeat_interleave(2, dim=-1)[..., ::2] if x.ndim else x,
    "conjugated": lambda x: x.conj().resolve_conj().conj() if x.is_complex() else x,
    "negated": lambda x: torch._neg_view(-x) if x.is_floating_point() else x,
    "expanded": lambda x: x.flatten()[:1].expand(x.shape) if x.numel() else x,
    "a subclass": lambda x: x.as_subclass(_Tensor),
    "sparse": lambda x: x.to_sparse(),
    "meta": lambda x: x.to("meta"),
    "mkldnn": lambda x: x.to_mkldnn() if x.dtype == torch.float32 else x.to_sparse(),
    "nested": lambda x: torch.nested.nested_tensor([x, x]),
    "quantized": lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8),
    "bfloat16": torch.Tensor.bfloat16,
    "half": torch.Tensor.half,
    "float": torch.Tensor.float,
    "double": torch.Tensor.double,
    "complex": lambda x: x.to(torch.complex64),
    "int": torch.Tensor.int,
    "float8": lambda x: x.to(torch.float8_e4m3fn),
    "uint16": lambda x: x.to(torch.uint16),
    "escaped from vmap": lambda x: escaped(torch.vmap),
    "escaped from grad": lambda x: escaped(torch.func.grad),
    "known to be zero": lambda x: torch._efficientzerotensor(x.shape, dtype=x.dtype),
    "an array": lambda x: x.numpy(),
    "an array of float32": lambda x: x.float().numpy(),
    "a list": lambda x: x.tolist(),
    "doubled": lambda x: x + x,
    "not a number": lambda x: x * float("nan"),
}

ODD: dict[str, Callable[[Any], Any]] = {
    "None": lambda _: None,
    "an object": lambda _: object(),
    "a trap": lambda _: trapped(),
    "a function": lambda _: print,
    "a type": lambda _: int,
    "a set": lambda _: {1, 2},
    "bytes": lambda _: b"bytes",
    "a range": lambda _: range(3),
    "a float of a subclass": lambda _: _Float(1.0),
    "text of a subclass": lambda _: _Text("text"),
    "text of NumPy's": lambda _: np.str_("text"),
    "an enum": lambda _: IntEnum("Number", "ONE").ONE,
    "an OrderedDict": lambda _: OrderedDict(a=1),
    "a namedtuple": lambda _: Pair(1, 2),
    "a size": lambda _: torch.Size([1]),
    "a long double": lambda _: np.longdouble(1),
    "a complex long double": lambda _: np.clongdouble(1),
    "a date": lambda _: np.datetime64("2020"),
    "a time": lambda _: np.timedelta64(1),
    "a record": lambda _: np.void(b"abc"),
    "an array of one text": lambda _: np.array("text"),
    "an array of None": lambda _: np.array(None),
    "an array of one date": lambda _: np.array(np.datetime64("2020")),
    "an array of one record": lambda _: np.zeros((), "i4,f8"),
    "an array of halved integers": lambda _: np.ones(
        (), np.dtype((np.int32, {"low": (np.int16, 0), "high": (np.int16, 2)}))
    ),
    "a tensor escaped from vmap": lambda _: escaped(torch.vmap),
}

shapes = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
tensor_dtypes = st.sampled_from(sorted(TENSOR_DTYPES)).map(lambda name: getattr(torch, name))
array_dtypes = st.sampled_from(sorted(ARRAY_DTYPES)).map(np.dtype)
plain_numbers = (
    st.booleans()
    | st.integers(-3, 3)
    | st.integers(-(2**100), 2**100)
    | st.integers(-(2**3900), 2**3900)
    | st.floats()
    | st.complex_numbers()
    | array_dtypes.flatmap(npst.from_dtype)
)
expected_numbers = plain_numbers.filter(lambda value: entries_of(value) is not None and not np.isnan(value))


@st.composite
def expected_arrays(draw: st.DrawFn) -> Any:
    dtype, shape = draw(array_dtypes), draw(shapes)
    return (
        np.array(draw(st.lists(st.integers(0, 100), min_size=6, max_size=6)))
        .astype(dtype)
        .repeat(5)[: math.prod(shape)]
        .reshape(shape)
    )


@st.composite
def expected_tensors(draw: st.DrawFn) -> torch.Tensor:
    dtype, shape = draw(tensor_dtypes), draw(shapes)
    numbers = torch.tensor(draw(st.lists(st.integers(0, 100), min_size=6, max_size=6))).to(dtype)
    return numbers.repeat(5)[: math.prod(shape)].reshape(shape)


@dataclass(frozen=True)
class Returned:
    """A value that a student returns; some of them end the program when somebody asks for their `repr`."""

    said: str
    value: Any = field(repr=False)


def variants(expected: object) -> st.SearchStrategy[Returned]:
    """What a student may return where `expected` is right: the same in another form, and something near it."""
    forms = FORMS_OF_A_TENSOR if isinstance(expected, torch.Tensor) else FORMS_OF_AN_ARRAY
    value = expected if isinstance(expected, torch.Tensor) else np.asarray(expected)
    return st.sampled_from(sorted(forms)).map(lambda name: formed(forms[name], name, value))


def formed(form: Callable[[Any], Any], name: str, value: Any) -> Returned:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return Returned(name, form(value))
        except (RuntimeError, TypeError, ValueError):  # there is no such form of this dtype
            return Returned("itself", value)


texts = st.text() | st.sampled_from(["a\ud800b", "a?b"])
others = (plain_numbers | texts).map(lambda value: Returned(repr(value), value)) | st.sampled_from(sorted(ODD)).map(
    lambda name: formed(ODD[name], name, None)
)
pairs = (expected_numbers | expected_arrays() | expected_tensors()).flatmap(
    lambda expected: st.tuples(variants(expected) | others, st.just(expected))
)

# --- the two verdicts ---


COMPARISONS: dict[str, Callable[[Any, object, object], object]] = {
    "close": lambda tests, actual, expected: tests.assert_close(actual, expected),
    "wide": lambda tests, actual, expected: tests.assert_close(actual, expected, rtol=1e-2),
    "exact": lambda tests, actual, expected: tests.assert_exact(actual, expected),
    "printed": lambda tests, actual, expected: tests.assert_printed(actual, "1.00"),
    "text": lambda tests, actual, expected: tests.assert_text(actual, "a?b"),
    "truth": lambda tests, actual, expected: tests.expect_bool(actual),
    "two": lambda tests, actual, expected: tests.expect_tuple(actual, "out", "cache"),
}


def in_itself(value: object) -> list[object]:
    result: list[object] = [value]
    result += [result, {"parent": result}]
    return result


# How a value is held by the result, and how a test takes it out.
CONTAINERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    "bare": (lambda value: value, lambda tests, result: result),
    "tuple": (lambda value: (1, value), lambda tests, result: tests.expect_tuple(result, "out", "cache")[1]),
    "list": (lambda value: [value, "cache"], lambda tests, result: tests.expect_tuple(result, "out", "cache")[0]),
    "dict": (lambda value: {"W": value, (1, 2): value}, lambda tests, result: result["W"]),
    "beside a deep one": (
        lambda value: (value, reduce(lambda cache, _: (value, cache), range(50), ())),
        lambda tests, result: tests.expect_tuple(result, "out", "cache")[0],
    ),
    "in itself": (lambda value: in_itself(value), lambda tests, result: result[0]),
    "nested": (lambda value: [({"b": [value]},)], lambda tests, result: result[0][0]["b"][0]),
}


def verdict(tests: Any, result: Returned, container: str, comparison: str, expected: object) -> str | None:
    """What a test says of a result, None where it passes."""
    try:
        COMPARISONS[comparison](tests, CONTAINERS[container][1](tests, result.value), expected)
    except tests.Mismatch as mismatch:
        return str(mismatch)
    return None


@contextmanager
def own_notebook(namespace: dict[str, Any]) -> Iterator[Any]:
    """The functions of a notebook as the public tests of a built checks.py see them, with that module's names."""
    checks, main = ModuleType("checks"), ModuleType("__main__")
    vars(main).update(namespace)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", main)
        patch.setitem(sys.modules, "checks", checks)
        exec(compile(checks_source(), "checks.py", "exec"), vars(checks))
        yield checks


@pytest.fixture(scope="module")
def checks() -> Iterator[Any]:
    with own_notebook({}) as module:
        yield module


def returned(checks: Any, result: Returned) -> Returned:
    """What the public tests get from a function that returns this."""
    vars(sys.modules["__main__"])["f"] = lambda: result.value
    return Returned("public", checks.OwnNotebook().f())


def crossed(result: Returned) -> Returned:
    """What the hidden tests get from a function that returns this."""
    frame = wire.encode(result.value, lambda value: ["handle", 0, type_name(value)])
    return Returned("hidden", wire.decode_frame(frame, incoming))


def tells_its_form_on_one_side_only(drawn: Returned) -> bool:
    """Of what stays in the student's process the grader knows the name of the type and no more."""
    value = drawn.value
    return form_of(value) is not None and not isinstance(value, int) and entries_of(value) is None


@settings(max_examples=300)
@given(pair=pairs, container=st.sampled_from(sorted(CONTAINERS)), comparison=st.sampled_from(sorted(COMPARISONS)))
@pytest.mark.filterwarnings("ignore")
def test_public_and_hidden_tests_say_the_same(
    checks: Any, pair: tuple[Returned, object], container: str, comparison: str
) -> None:
    drawn, expected = pair
    result = Returned("the result", CONTAINERS[container][0](drawn.value))
    public = verdict(checks, returned(checks, result), container, comparison, expected)
    hidden = verdict(testing, crossed(result), container, comparison, expected)
    assert (public is None) == (hidden is None)
    if not tells_its_form_on_one_side_only(drawn):
        assert public == hidden


# --- in a real process ---

NOTEBOOK = """
import numpy as np
import torch

class Trap(type):
    def __getattribute__(cls, name):
        raise SystemExit

class Trapped(metaclass=Trap):
    def __getattribute__(self, name):
        raise SystemExit

class Kind(torch.Tensor):
    pass

RESULTS = [
    lambda: torch.nn.Parameter(torch.ones(2)),
    lambda: torch.ones(2, requires_grad=True) * 1,
    lambda: torch.ones(2).bfloat16(),
    lambda: torch.ones(2).to_sparse(),
    lambda: torch.ones(2).as_subclass(Kind),
    lambda: torch.ones(2, dtype=torch.uint16),
    lambda: np.ones(4, ">f8")[::2],
    lambda: np.ones(2, object),
    lambda: np.ones((), np.float32),
    lambda: np.longdouble(1),
    lambda: np.array("text"),
    lambda: 1 + 0j,
    lambda: 2**70,
    lambda: True,
    lambda: float("nan"),
    lambda: "a\\ud800b",
    lambda: [1.0, None],
    Trapped,
]

def result(number):
    return RESULTS[number]()

def parameter(x):
    return torch.nn.Parameter(x)

def scaled(x):
    return x * torch.nn.Parameter(torch.full((2,), 3.0))

def other_kind(x):
    return (2 * x).as_subclass(Kind)

def kept(x):
    return x
"""
EXPECTED = [torch.ones(2), torch.ones(2).bfloat16(), np.ones(2), np.float32(1), 1.0, 1j, True]


@pytest.mark.filterwarnings("ignore")
def test_a_real_process_gives_hidden_tests_what_students_see(torch_sandbox: Sandbox) -> None:
    namespace: dict[str, Any] = {}
    exec(NOTEBOOK, namespace)
    with own_notebook(namespace) as checks, play(torch_sandbox, NOTEBOOK, GRADE) as session:
        own, student = checks.OwnNotebook(), Student(session, "t")
        for number, make in enumerate(namespace["RESULTS"]):
            public, hidden = (Returned("", one.result(number)) for one in (own, student))
            for expected in EXPECTED:
                said = verdict(checks, public, "bare", "close", expected)
                told = verdict(testing, hidden, "bare", "close", expected)
                assert (said is None) == (told is None), number
                assert said == told or tells_its_form_on_one_side_only(Returned("", make())), number


def test_gradients_are_taken_of_the_same_values_on_both_sides(torch_sandbox: Sandbox) -> None:
    namespace: dict[str, Any] = {}
    exec(NOTEBOOK, namespace)
    x = torch.tensor([1.0, 2.0])
    with own_notebook(namespace) as checks, play(torch_sandbox, NOTEBOOK, GRADE) as session:
        for name, gradient in {"scaled": [3, 3], "parameter": None, "other_kind": None, "kept": [1, 1]}.items():
            for one in (checks.OwnNotebook(), Student(session, "t")):
                for argument in (x, torch.nn.Parameter(x)):
                    _, (dx,) = one.gradients(name, argument)
                    assert (dx if dx is None else dx.tolist()) == gradient, name
