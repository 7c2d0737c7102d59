"""The residual block: the checks that your notebook runs with `check("...")`.

They look for the common mistakes; the course grades with other inputs. You may read them, nothing here is secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from numpy.typing import NDArray
from traceback import format_exception_only, walk_tb
from types import FrameType
from typing import Any
from typing import Any, Literal
from typing import Any, TypeVar
import builtins
import math
import numpy as np
import os
import sys
import textwrap
import torch

TASKS = {'residual_block': {'title': 'The block: branch and skip',
                    'functions': ['residual_block'],
                    'hint': 'Compute h, then the branch, then add x as it came in. One line each; the @ '
                            'operator takes care of any batch axes in front.'},
 'identity_gradient': {'title': 'A silent branch is the identity',
                       'functions': ['residual_block'],
                       'hint': 'Set w2 and b2 to zero and print out - x and x.grad. Nothing may touch x on '
                               'its way along the skip path, neither forward nor backward.'},
 'jacobian': {'title': 'The Jacobian in two pieces',
              'functions': ['residual_jacobian'],
              'hint': 'Differentiate the branch alone, without the skip. Row j of a Jacobian belongs to '
                      'output j, column i to input i.'},
 'stack_gradient': {'title': 'The gradient under N blocks',
                    'functions': ['stack_input_gradient'],
                    'hint': 'Make a fresh copy of x that requires grad, run the blocks in order, sum the '
                            'output, and ask autograd for the gradient at that copy.'}}


ARRAY_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)
TENSOR_DTYPES = (ARRAY_DTYPES - {"uint16", "uint32", "uint64"}) | {"bfloat16"}

_NUMBER_TYPES: tuple[type[Any], ...] = (bool, int, float, complex, *np.sctypeDict.values())
# By identity: a student's metaclass may answer for `==` and `hash`.
_NUMBER_DTYPES = {id(kind): np.dtype(kind).name for kind in _NUMBER_TYPES if np.dtype(kind).name in ARRAY_DTYPES}
_PLAIN_TYPES = frozenset([*_NUMBER_DTYPES, *map(id, (str, tuple, list, dict))])
_FROM_SUBCLASS: tuple[tuple[type[Any], Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, complex.__complex__),
    (str, str.__str__),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (list, lambda value: list(list.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
)
_BASES = tuple(base for base, _ in _FROM_SUBCLASS)


@dataclass(frozen=True)
class Handle:
    """In grading, a value that stays in the student's process; it can be passed back as an argument.

    Named so that an attribute of the object that it stands for will not have the same name.
    """

    handle_number: int
    handle_type: str


@dataclass(frozen=True)
class Form:
    """What can be told about a value without touching its entries.

    is_plain: whether the dtype is plain and, of a tensor, whether it is dense and in memory.
    """

    kind: Literal["number", "array", "tensor"]
    shape: tuple[int, ...]
    dtype: str
    is_plain: bool


def as_base(value: Any) -> Any:
    """Return `value` as the Python type has it that its own type is a subclass of; all else as it is.

    No code of the value is run. What is in a container is not looked at.
    """
    kind = type(value)
    if id(kind) in _PLAIN_TYPES or not issubclass(kind, _BASES):
        return value
    return next(taken(value) for base, taken in _FROM_SUBCLASS if issubclass(kind, base))


def form_of(value: Any) -> Form | None:
    """Return the form of a number, array or tensor, None for all else. No code of the value is run."""
    if dtype := _NUMBER_DTYPES.get(id(type(value))):
        return Form("number", (), dtype, True)
    if type(value) is np.ndarray:
        name = _name(value.dtype)
        is_plain = name in ARRAY_DTYPES
        return Form("number" if is_plain and not value.ndim else "array", value.shape, name, is_plain)
    if is_tensor(value):
        return _tensor_form(value)
    base = as_base(value)
    return None if base is value else form_of(base)


def entries_of(value: Any) -> NDArray[Any] | None:
    """Return the entries in the value's shape and dtype, those of bfloat16 as float32; None where they are not plain.

    What is returned may share the value's memory. An int beyond 64 bits has no entries.
    """
    value = as_base(value)
    form = form_of(value)
    if form is None or not form.is_plain:
        return None
    try:
        return _tensor_entries(value) if form.kind == "tensor" else np.asarray(value, form.dtype)
    except (RuntimeError, TypeError, OverflowError):  # a tensor that has escaped from `vmap`, a large int
        return None


def is_tensor(value: object) -> bool:
    """Whether `value` is exactly a tensor or a Parameter, which is a tensor that a module owns."""
    torch = sys.modules.get("torch")
    return torch is not None and (type(value) is torch.Tensor or type(value) is torch.nn.Parameter)


def type_name(value: object) -> str:
    """Return the name of a value's type; for a handle, of the type of what it stands for."""
    if issubclass(type(value), Handle):
        return str(value.handle_type)  # type: ignore[attr-defined]
    # The name as Python itself keeps it: a metaclass could run code instead.
    return str(type.__dict__["__name__"].__get__(type(value)))


def plain_text(text: str) -> str:
    """Return `text` with "?" for a lone surrogate, which is legal in Python and in no file."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=64)
def _name(dtype: np.dtype[Any]) -> str:
    """Return its name, which NumPy makes anew each time."""
    return str(dtype.name)


def _tensor_form(tensor: Any) -> Form | None:
    if tensor.is_nested:  # it has no shape
        return None
    dtype = str(tensor.dtype).removeprefix("torch.")
    is_dense = str(tensor.layout) == "torch.strided" and tensor.device.type != "meta"
    return Form("tensor", tuple(tensor.shape), dtype, is_dense and dtype in TENSOR_DTYPES)


def _tensor_entries(tensor: Any) -> NDArray[Any]:
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    return np.asarray((plain.float() if str(plain.dtype) == "torch.bfloat16" else plain).numpy())


def error_type(error: BaseException) -> str:
    """Return the name of what an exception is a kind of: of the nearest type that is Python's own."""
    own = (kind for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)
    return str(next(own).__name__)


# --- gradients ---


def differentiable(argument: Any) -> Any:
    """Return a copy that requires a gradient of a tensor of real numbers, all else as it is."""
    if is_tensor(argument) and argument.is_floating_point():
        return argument.detach().clone().requires_grad_()
    return argument


def vector_jacobian(result: Any, leaves: Sequence[Any], upstream: Any = None) -> list[Any]:
    """Return the gradient at each leaf for `upstream`, the gradient at the result; all ones if None.

    None in its place where the result does not depend on a leaf or is no tensor of upstream's shape.
    """
    inputs = [leaf for leaf in leaves if is_tensor(leaf) and leaf.requires_grad]
    if not (inputs and is_tensor(result) and result.requires_grad):
        return [None] * len(leaves)
    torch: Any = sys.modules["torch"]
    weights = torch.ones_like(result) if upstream is None else upstream
    if weights.shape != result.shape:
        return [None] * len(leaves)
    found = torch.autograd.grad(result, inputs, weights, allow_unused=True)
    by_leaf = {id(leaf): gradient for leaf, gradient in zip(inputs, found, strict=True)}
    return [by_leaf.get(id(leaf)) for leaf in leaves]


def module_gradients(module: Any, inputs: Sequence[Any], upstream: Any = None) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return what a PyTorch module makes of copies of `inputs`, and the gradients that `vector_jacobian` finds.

    They are a list with one for each input, and a dict with one for each parameter, by its name.
    """
    leaves = [differentiable(value) for value in inputs]
    parameters = dict(module.named_parameters())
    result = module(*leaves)
    found = vector_jacobian(result, [*leaves, *parameters.values()], upstream)
    return result, found[: len(leaves)], dict(zip(parameters, found[len(leaves) :], strict=True))


def layout_of(module: Any) -> dict[str, tuple[int, ...] | None]:
    """Return the shapes of a PyTorch module's parameters and buffers, by name; None of what is no tensor."""
    state = module.state_dict()
    return {name: tuple(value.shape) if is_tensor(value) else None for name, value in state.items()}


@dataclass(frozen=True)
class Tolerance:
    """How far an entry may be off: `relative * |entry| + floor * max|expected| + smallest`.

    relative: for the entry itself.
    floor: for entries that are small by cancellation. Their rounding error has the size of the
        terms that cancelled, for which the largest entry stands. It scales with the data, so a
        gradient that has shrunk to 1e-20 is still compared with itself and not with zero.
    zero: takes the floor's place where every expected entry is zero and there is no scale at all.
    smallest: the smallest normal number. Below it processors may round to zero or not.
    """

    relative: float
    floor: float
    zero: float
    smallest: float

    def widened(self, relative: float) -> Tolerance:
        """The same policy for a wider bar; a narrower one than the policy's is not taken."""
        factor = max(1.0, relative / self.relative)
        return Tolerance(self.relative * factor, self.floor * factor, self.zero * factor, self.smallest)


# Measured on two matrix products and a skip, the order of the sums changed at random: entries move
# by up to 1e-15 (float64) and 6e-7 (float32) of the largest one. The bars stand well above that, so
# no other BLAS, thread count or way of writing a formula is ever an error, and far below any error
# that a wrong formula makes. float16 and bfloat16 hold three digits and two: their bars are four to
# five units of their last bit. Integers and truth values are compared exactly.
_HALF = Tolerance(relative=5e-3, floor=2e-3, zero=1e-3, smallest=6.2e-5)
_BRAIN = Tolerance(relative=3e-2, floor=2e-2, zero=1e-2, smallest=1.2e-38)
_SINGLE = Tolerance(relative=1e-5, floor=5e-6, zero=1e-6, smallest=1.2e-38)
_DOUBLE = Tolerance(relative=1e-9, floor=1e-12, zero=1e-14, smallest=2.3e-308)
_POLICY = {
    "float16": _HALF,
    "bfloat16": _BRAIN,
    "float32": _SINGLE,
    "complex64": _SINGLE,
    "float64": _DOUBLE,
    "complex128": _DOUBLE,
}

_EXPECTED_KIND = {
    "number": "a single number",
    "array": "a NumPy array",
    "tensor": "a PyTorch tensor",
}
_FACTORS = {2.0: "twice", 0.5: "half", -1.0: "minus"}


class Mismatch(AssertionError):
    """A student's value is not what was asked for; the message is safe to show to the student."""


def assert_close(actual: object, expected: object, what: str = "the result", *, rtol: float | None = None) -> None:
    """Raise Mismatch unless `actual` is `expected` within the tolerance of its dtype.

    `rtol` sets a wider bar, for checks against finite differences; the floors widen with it.
    """
    got, want = _matched(actual, expected, what)
    _require_equal(got, want, what, _tolerance(expected, rtol))


def assert_exact(actual: object, expected: object, what: str = "the result") -> None:
    """Raise Mismatch unless every bit of `actual` is that of `expected`, the sign of zero excepted.

    That sign tells only in which order zeros were multiplied and added, which no task asks for.
    NaN equals nothing.
    """
    got, want = _matched(actual, expected, what)
    _require_equal(got, want, what, None, rounding=_tolerance(expected))


def distance(actual: object, expected: object, *, rtol: float | None = None) -> float:
    """Return the largest error as a multiple of what `assert_close` allows: it passes up to 1.0.

    Infinite where kind, shape or dtype differ, and where an exact comparison fails.
    """
    try:
        got, want = _matched(actual, expected, "")
    except Mismatch:
        return float("inf")
    return _worst(got, want, _tolerance(expected, rtol))


def assert_printed(actual: object, printed: str, what: str = "the result") -> None:
    """Raise Mismatch unless `actual` is within half a unit of the last digit of `printed`."""
    got, _ = _matched(actual, float(printed), what)
    _require_finite(got, np.asarray(0.0), what)
    error = abs(Decimal(float(got)) - Decimal(printed))
    last_digit = Decimal(printed).as_tuple().exponent
    if error > Decimal(5).scaleb(int(last_digit) - 1):
        raise Mismatch(
            f"{what}: yours is {_show(got)}, off by {_about(float(error))}; "
            "it must agree with every digit of the printed value"
        )


def assert_text(actual: object, expected: str, what: str = "the text") -> None:
    """Raise Mismatch unless `actual` is `expected`, character for character."""
    actual = as_base(actual)
    if type(actual) is not str:
        raise Mismatch(f"{what}: it should be a string, yours is {_describe(actual)}")
    if (text := plain_text(actual)) != expected:
        raise Mismatch(f"{what}: {_text_difference(text, expected)}")


def expect_tuple(value: object, *names: str) -> tuple[Any, ...]:
    """Return `value` as a tuple; Mismatch unless it is a tuple or list of one value per name."""
    wanted = f"it should return {len(names)} values ({', '.join(names)})"
    value = as_base(value)
    if not (type(value) is tuple or type(value) is list):
        raise Mismatch(f"{wanted}, yours returns {_describe(value)}")
    if len(value) != len(names):
        raise Mismatch(f"{wanted}, yours returns {len(value)}")
    return tuple(value)


def expect_bool(value: object, what: str = "the answer") -> bool:
    """Return `value` as a Python bool; Mismatch unless it is a Python or NumPy bool."""
    if not (type(value) is bool or type(value) is np.bool_):
        raise Mismatch(f"{what}: it should be True or False, yours is {_describe(value)}")
    return bool(value)


def expect_object(value: object, of: str, what: str = "the result") -> Any:
    """Return `value`; Mismatch unless it is an object of the notebook's class named `of`.

    For what is about to be asked for its attributes: data has none of them.
    """
    if type_name(value) != of:
        raise Mismatch(f"{what}: it should be an object of the class {of}, yours is {_describe(value)}")
    return value


def require(condition: object, message: str) -> None:
    """Raise Mismatch with `message`, which students see, unless the condition holds."""
    if not condition:
        raise Mismatch(message)


# --- kind, shape, dtype ---


def _matched(actual: object, expected: object, what: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the entries of both values, once kind, shape and dtype are found to agree."""
    want, wanted = _trusted(expected)
    got = form_of(actual)
    if got is None or got.kind != want.kind:
        raise Mismatch(f"{what}: it should be {_EXPECTED_KIND[want.kind]}, yours is {_describe(actual)}")
    if got.shape != want.shape:
        raise Mismatch(
            f"{what}: its shape should be {want.shape}, yours is {got.shape}{_transposed(got.shape, want.shape)}"
        )
    fits = _number_fits(got.dtype, want.dtype) if want.kind == "number" else got.dtype == want.dtype
    if not fits:
        raise Mismatch(f"{what}: its dtype should be {want.dtype}, yours is {got.dtype[:40]}")
    return _entries(actual, want, what), wanted


def _trusted(expected: object) -> tuple[Form, NDArray[Any]]:
    """Return form and entries of the expected value; a TypeError here is the fault of the test."""
    form, entries = form_of(expected), entries_of(expected)
    if form is None or entries is None:
        raise TypeError(f"cannot compare with an expected value that is {_describe(expected)}")
    return form, entries


def _number_fits(got: str, want: str) -> bool:
    """Whether one number may stand for another: integers for reals, never less precision."""
    one, other = np.dtype(got), np.dtype(want)
    if one.kind in "iu":
        return other.kind in "iufc"
    return one.kind == other.kind and one.itemsize >= other.itemsize


def _transposed(got: tuple[int, ...], want: tuple[int, ...]) -> str:
    return ", its transpose" if len(got) > 1 and got == want[::-1] else ""


def _entries(value: Any, want: Form, what: str) -> NDArray[Any]:
    """Return the entries of a value of the kind and shape of `want`; a number's in the dtype of `want`."""
    if want.kind == "number":
        return _number(value, want.dtype, what)
    entries = entries_of(value)
    if entries is None:  # sparse, on the meta device, too large to hold
        raise Mismatch(f"{what}: it should be a plain dense tensor, yours is not")
    return entries


def _number(value: Any, dtype: str, what: str) -> NDArray[Any]:
    plain = value.item() if isinstance(value, np.generic | np.ndarray) else as_base(value)
    try:
        with np.errstate(over="ignore"):
            return np.asarray(plain, dtype=dtype)
    except OverflowError:
        raise Mismatch(f"{what}: yours is far too large") from None


# --- values ---


def _tolerance(expected: object, rtol: float | None = None) -> Tolerance | None:
    """Return the policy for an expected value, None where the comparison is exact."""
    policy = _POLICY.get(_trusted(expected)[0].dtype)
    return policy if policy is None or rtol is None else policy.widened(rtol)


def _require_equal(
    got: NDArray[Any],
    want: NDArray[Any],
    what: str,
    tolerance: Tolerance | None,
    rounding: Tolerance | None = None,
) -> None:
    """Raise Mismatch unless entries agree; `rounding` tells near misses of an exact comparison."""
    _require_finite(got, want, what)
    wrong = _errors(got, want, tolerance) > 1
    if wrong.any():
        raise Mismatch(f"{what}: {_difference(got, want, wrong)}{_observation(got, want, tolerance, rounding)}")


def _require_finite(got: NDArray[Any], want: NDArray[Any], what: str) -> None:
    if np.isnan(want).any():
        raise ValueError(f"the expected value of {what} holds NaN, which equals nothing")
    wrong = ~np.isfinite(got) & (got != want)
    if wrong.any():
        raise Mismatch(f"{what}: {_count(wrong, 'is not finite', 'are not finite')}{_first(got, wrong)}")


def _errors(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None) -> NDArray[Any]:
    """Return the error of every entry as a multiple of the allowed one: infinite for NaN."""
    if tolerance is None:
        return np.where(got == want, 0.0, np.inf)
    with np.errstate(all="ignore"):
        sizes = np.abs(_wide(want))
        largest = np.max(sizes, where=np.isfinite(sizes), initial=0.0)
        floor = tolerance.floor * largest if largest else tolerance.zero
        allowed = tolerance.relative * sizes + floor + tolerance.smallest
        ratios = _gaps(got, want) / allowed
    return np.where(np.isnan(ratios), np.inf, ratios)


def _gaps(got: NDArray[Any], want: NDArray[Any]) -> NDArray[Any]:
    """Return |got - want| of every entry; zero for two equal infinities."""
    with np.errstate(all="ignore"):
        return np.where(got == want, 0.0, np.abs(_wide(got) - _wide(want)))


def _wide(entries: NDArray[Any]) -> NDArray[Any]:
    """Return the entries in double precision, so that no difference is rounded or wraps round."""
    return entries.astype(np.complex128 if entries.dtype.kind == "c" else np.float64)


def _worst(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance | None) -> float:
    return float(np.max(_errors(got, want, tolerance), initial=0.0))


# --- messages ---


def _difference(got: NDArray[Any], want: NDArray[Any], wrong: NDArray[Any]) -> str:
    """Say how many entries differ, and where the first and the largest difference are."""
    text = _count(wrong, "differs", "differ") + _first(got, wrong)
    gaps = np.where(wrong, _gaps(got, want), 0.0)
    place = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    if np.count_nonzero(wrong) > 1:
        text += f", the largest at {_index(place)}"
    known = want.dtype.kind != "b" and np.isfinite(gaps[place])
    return f"{text}, off by {_about(float(gaps[place]))}" if known else text


def _count(wrong: NDArray[Any], singular: str, plural: str) -> str:
    """Open a sentence on the wrong entries: "7 of 24 entries differ", for a number "it differs"."""
    count = int(np.count_nonzero(wrong))
    if wrong.ndim == 0:
        return f"it {singular}"
    return f"{count} of {wrong.size} entries {singular if count == 1 else plural}"


def _first(got: NDArray[Any], wrong: NDArray[Any]) -> str:
    place = tuple(np.argwhere(wrong)[0])
    where = f"; the first at {_index(place)}" if wrong.ndim else ""
    return f"{where} (yours is {_show(got[place])})"


def _index(place: tuple[Any, ...]) -> str:
    return str([int(i) for i in place])


def _show(entry: Any) -> str:
    value = entry.item()
    return str(value) if isinstance(value, bool | int) else f"{value:.6g}"


def _about(gap: float) -> str:
    """Return a difference to one significant digit, which is a size and not an answer."""
    return f"about {float(f'{gap:.0e}'):g}"


def _observation(
    got: NDArray[Any],
    want: NDArray[Any],
    tolerance: Tolerance | None,
    rounding: Tolerance | None,
) -> str:
    """Return a remark on a frequent kind of wrong value, empty for all others."""
    if want.dtype.kind not in "fc":
        return ""
    if not got.any():
        return "; yours is zero everywhere" if want.ndim else ""
    if rounding is not None and _worst(got, want, rounding) <= 1:
        return "; it agrees up to rounding, but here it must be exact"
    if tolerance is _DOUBLE and _worst(got, want, _SINGLE) <= 1:
        return "; it agrees up to float32 precision: a step loses digits, or a small term is off"
    for factor, name in _FACTORS.items():
        if _worst(got, _wide(want) * factor, tolerance) <= 1:
            return f"; yours is {name} what it should be"
    if want.ndim == 2 and got.shape == want.T.shape and _worst(got.T, want, tolerance) <= 1:
        return "; its transpose would be right"
    return ""


def _describe(value: object) -> str:
    """Name the type of a value in words, without running any code of its own."""
    form = form_of(value)
    if value is None:
        return "None"
    if form is None:
        return f"an object of type {type_name(as_base(value))[:40]}"
    if form.kind == "number":
        return f"a number ({form.dtype})"
    noun = "a NumPy array" if form.kind == "array" else "a PyTorch tensor"
    return f"{noun} of shape {form.shape}"


def _text_difference(actual: str, expected: str) -> str:
    """Say in which line and column two texts first differ, both counted from one."""
    same = next(
        (i for i, (a, b) in enumerate(zip(actual, expected, strict=False)) if a != b),
        min(len(actual), len(expected)),
    )
    line = expected.count("\n", 0, same) + 1
    column = same - expected.rfind("\n", 0, same)
    if same == len(actual):
        found = "yours ends too early"
    elif same == len(expected):
        found = "yours goes on where it should end"
    else:
        found = f"yours has {actual[same]!r}"
    return f"the first difference is in line {line}, column {column} ({found})"


Test = TypeVar("Test", bound=Callable[..., None])

_TESTS: dict[str, list[Callable[..., None]]] = {}
_LONGEST_MESSAGE = 600
_MOST_PARTS = 1000  # of a result that are known again when a test passes them on


class CheckFailed(AssertionError):
    """Raised under nbgrader's Validate button, which looks for an error in the cell."""

    def _render_traceback_(self) -> list[str]:
        """Let IPython show the message alone: the frames would all be ours."""
        return [f"{type(self).__name__}: {self}"]


class NotGraded(RuntimeError):
    """The notebook is being autograded without the grader."""

    def __init__(self) -> None:
        super().__init__(
            "this notebook was run without the course's grader plug-in, because its configuration "
            "is missing or broken. The score 0 means nothing: do not record it. To fix it, start "
            "nbgrader in the course folder whose nbgrader_config.py loads grader_config.py, and "
            "autograde again."
        )


def task(name: str, weight: float = 1) -> Callable[[Test], Test]:
    """Enter a public test under its task. One of weight 0 is told of only where it finds a fault.

    Hidden tests have the same mark from testing.py, where pytest reads it.
    """

    def enter(test: Test) -> Test:
        _TESTS.setdefault(name, []).append(test)
        vars(test)["is_quiet"] = not weight
        return test

    return enter


def check(name: str) -> None:
    """Run the public tests of a task on this notebook's functions, and print what they found."""
    mode = os.environ.get("NBGRADER_EXECUTION")
    if mode == "autograde":
        raise NotGraded
    tasks = _tasks()
    if name not in tasks:
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(map(repr, tasks))}")
    result = _result([*tasks[name]["functions"], *tasks[name].get("variables", ())], _TESTS.get(name, []))
    print("\n".join(result.lines(tasks[name]["title"], tasks[name]["hint"])))
    if mode == "validate" and not result.passed:
        raise CheckFailed(result.headline(tasks[name]["title"]))


@contextmanager
def needs(*names: str) -> Iterator[None]:
    """Run a cell's block, or say what it waits for where a function is not written yet.

    names: the student's functions that the block uses. All other errors go through.
    """
    try:
        yield
    except (NotImplementedError, NameError) as error:
        waiting = _stub(error) or _undefined(error, names)
        if waiting is None:
            raise
        missing = dict.fromkeys([waiting, *(name for name in names if not _is_defined(name))])
        print(f"This cell waits for {', '.join(f'`{name}`' for name in missing)}: not written yet.")


def _tasks() -> dict[str, dict[str, Any]]:
    """Return TASKS: task name -> {"title": str, "functions", "variables" if any: lists of names, "hint": str}."""
    tasks: dict[str, dict[str, Any]] = globals()["TASKS"]
    return tasks


def _names(kind: str) -> list[str]:
    """Return what all tasks name: their "functions" or their "variables"."""
    return [name for spec in _tasks().values() for name in spec.get(kind, ())]


# --- what a public test sees ---


@dataclass(frozen=True)
class StudentError:
    """The error that a student's function raised; type: the nearest of Python's own types that it is."""

    type: str
    message: str


class OwnNotebook:
    """The student's functions, found by name in the notebook at the time of the call.

    Arguments are copied for each call, so that a function that writes into them cannot change
    what the test compares with. What `put` returns is the exception, and what came from the
    notebook itself: it goes back as the very object that it is there.
    """

    def __init__(self) -> None:
        self._own: list[tuple[object, object]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _found(name) if name in _names("variables") else _Defined(self, name)

    def _call(self, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        result = _found(name)(
            *(_copied(argument, self._own) for argument in arguments),
            **{key: _copied(option, self._own) for key, option in options.items()},
        )
        self._own += [(part, part) for part in _parts(result)]
        seen = as_base(result)
        self._own.append((seen, result))
        return seen

    def put(self, value: Any) -> Any:
        """Return a copy of `value` that is passed on as it is, to see whether it gets modified."""
        kept = _copied(value)
        self._own.append((kept, kept))
        return kept

    def get(self, handle: Any) -> Any:
        """Return what `put` gave, with all that has happened to it."""
        return handle

    def error(self, call: str | Callable[..., Any], *arguments: Any, **options: Any) -> StudentError:
        """Return the error that a call, by a function's name or of itself, raises; Mismatch if it raises none."""
        name = call if isinstance(call, str) else getattr(call, "__name__", "this")
        try:
            (getattr(self, call) if isinstance(call, str) else call)(*arguments, **options)
        except (_UndefinedError, Mismatch):
            raise
        except Exception as error:
            if _stub(error):
                raise
            return StudentError(error_type(error), str(error))
        raise Mismatch(f"`{name}` should refuse this call with an error, yours returns a value")

    def gradients(
        self, call: str | Callable[..., Any], *arguments: Any, upstream: Any = None
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return what a torch function returns, and a gradient or None for each argument.

        call: the name of a function, or an object that can be called. upstream: the tensor to
        multiply the Jacobian by, all ones if None.
        """
        torch: Any = sys.modules["torch"]
        leaves = [differentiable(_copied(argument)) for argument in arguments]
        with torch.enable_grad():
            out = (_found(call) if isinstance(call, str) else call)(*leaves)
        return out, tuple(vector_jacobian(out, leaves, upstream))

    def module_gradients(
        self, module: Any, *inputs: Any, upstream: Any = None
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return as `gradients` for a PyTorch module, and the gradients at its parameters by name."""
        torch: Any = sys.modules["torch"]
        with torch.enable_grad():
            out, gradients, parameters = module_gradients(module, inputs, upstream)
        return out, tuple(gradients), parameters

    layout = staticmethod(layout_of)


class _Defined:
    """A function or class of the notebook, by its name."""

    def __init__(self, notebook: OwnNotebook, name: str) -> None:
        self.__name__ = name
        self._notebook = notebook

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._notebook._call(self.__name__, arguments, options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_found(self.__name__), name)


def _copied(value: Any, own: Sequence[tuple[object, object]] = ()) -> Any:
    """Return a copy of arrays, tensors and what holds them; all else stays itself.

    own: pairs of a value as a test has it, and the notebook's own object, which is passed on.
    """
    for seen, itself in own:
        if value is seen:
            return itself
    if type(value) in (list, tuple):
        return type(value)(_copied(item, own) for item in value)
    if type(value) is dict:
        return {key: _copied(item, own) for key, item in value.items()}
    if is_tensor(value):
        return value.detach().clone()
    return value.copy() if type(value) is np.ndarray else value


def _parts(value: Any) -> list[object]:
    """Return what lies in lists, tuples and dicts and may be written into, those themselves too."""
    parts: list[object] = []
    left = [value]
    while left and len(parts) < _MOST_PARTS:
        one = left.pop()
        items = list(one.values()) if type(one) is dict else list(one) if type(one) in (list, tuple) else []
        if items or is_tensor(one) or type(one) is np.ndarray:
            parts.append(one)
        left += items
    return parts


# --- running tests ---


class _UndefinedError(Exception):
    """A test calls a function that the notebook does not define."""


@dataclass(frozen=True)
class _Finding:
    """What one public test found: a fault, or what it waits for, or neither."""

    sentence: str
    fault: str = ""
    waits_for: str = ""

    @property
    def passed(self) -> bool:
        return not (self.fault or self.waits_for)

    @property
    def mark(self) -> str:
        return "✓" if self.passed else "✗" if self.fault else "·"


@dataclass(frozen=True)
class _Result:
    """What the public tests of a task found. waiting: what keeps some of them from running."""

    findings: list[_Finding]
    waiting: list[str]

    @property
    def passed(self) -> bool:
        return not self.waiting and all(finding.passed for finding in self.findings)

    @property
    def _untouched(self) -> bool:
        return bool(self.waiting) and all(finding.waits_for for finding in self.findings)

    def headline(self, title: str) -> str:
        if self._untouched:
            return f"{title}: {', '.join(self.waiting)}."
        if not self.findings:
            return f"{title}: there is nothing to run here, it is graded after you hand it in."
        passed = sum(finding.passed for finding in self.findings)
        return f"{title}: {passed} of {len(self.findings)} checks pass."

    def lines(self, title: str, hint: str) -> Iterator[str]:
        """Yield a line for each test, the first fault below its test, and the hint at the end."""
        yield self.headline(title)
        if self._untouched:
            return
        first_fault = next((finding for finding in self.findings if finding.fault), None)
        for finding in self.findings:
            yield f"  {finding.mark} {finding.sentence}"
            if finding is first_fault:
                yield textwrap.indent(finding.fault, " " * 6)
        if self.waiting:
            yield f"  {', '.join(self.waiting)}."
        if first_fault and hint:
            yield f"Hint: {hint}"


def _result(functions: Sequence[str], tests: Sequence[Callable[..., None]]) -> _Result:
    findings = [one for test in tests if (one := _run(test)).fault or not vars(test)["is_quiet"]]
    undefined = [_not_defined(name) for name in functions if not _is_defined(name)]
    waiting = [*undefined, *(finding.waits_for for finding in findings if finding.waits_for)]
    return _Result(findings, list(dict.fromkeys(waiting)))


def _run(test: Callable[..., None]) -> _Finding:
    sentence = (test.__doc__ or test.__name__).strip().splitlines()[0]
    try:
        test(OwnNotebook())
    except Mismatch as mismatch:
        return _Finding(sentence, fault=str(mismatch))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        waits_for = _waits_for(error)
        return _Finding(sentence, "" if waits_for else _student_error(error), waits_for)
    return _Finding(sentence)


def _waits_for(error: BaseException) -> str:
    """Say which function of the student's is not there yet, if that is what the error is about."""
    if stub := _stub(error):
        return f"`{stub}` is not written yet"
    every = _names("functions") + _names("variables")
    name = str(error) if isinstance(error, _UndefinedError) else _undefined(error, every)
    return _not_defined(name) if name else ""


def _not_defined(name: str) -> str:
    return f"`{name}` is not defined yet"


# --- the notebook ---


def _notebook() -> dict[str, Any]:
    """Return the variables of the running notebook."""
    return vars(sys.modules["__main__"])


def _is_defined(name: str) -> bool:
    return name in _notebook() if name in _names("variables") else callable(_notebook().get(name))


def _found(name: str) -> Any:
    """Return the function, class or variable of this name. Errors: _UndefinedError."""
    if not _is_defined(name):
        raise _UndefinedError(name)
    return _notebook()[name]


def _stub(error: BaseException) -> str | None:
    """Return the name of the notebook's function that says it is not written yet, else None.

    Libraries raise NotImplementedError too, so both the message and the place have to fit.
    """
    if type(error) is not NotImplementedError or str(error) not in ("", "not written yet"):
        return None
    *_, (frame, _) = walk_tb(error.__traceback__)
    name = _function_name(frame)
    return name if frame.f_globals is _notebook() and name != "<module>" else None


def _undefined(error: BaseException, names: Sequence[str]) -> str | None:
    """Return which of `names` is the one whose lack the error is about, else None."""
    name = error.name if type(error) is NameError else None
    return name if name in names else None


def _student_error(error: BaseException) -> str:
    """Say what a student's code raised, and in which line of the student's cell."""
    message = "".join(format_exception_only(error)).strip()[:_LONGEST_MESSAGE]
    steps = [step for step in walk_tb(error.__traceback__) if step[0].f_globals is _notebook()]
    if not steps:
        return message
    frame, line = steps[-1]
    return f"{message}\n(in line {line} of the cell that defines `{_function_name(frame)}`)"


def _function_name(frame: FrameType) -> str:
    """Return the function that a frame runs; the outermost one for a function within it."""
    return frame.f_code.co_qualname.split(".")[0]


def f64(values):
    return torch.tensor(values, dtype=torch.float64)


def small_block():
    """Inputs of a block with one hidden unit awake and one asleep: x, w1, b1, w2, b2."""
    return [
        f64([1.0, 2.0]),
        f64([[1.0, -1.0], [1.0, -1.0]]),
        f64([1.0, 1.0]),
        f64([[0.5, -1.0], [7.0, 7.0]]),
        f64([10.0, -20.0]),
    ]


def example(dtype=torch.float64, batch=(2,)):
    """Inputs of the size in the lesson, from a fixed seed: x, w1, b1, w2, b2."""
    rng = torch.Generator().manual_seed(1)
    shapes = [(*batch, 4), (4, 8), (8,), (8, 4), (4,)]
    return [torch.randn(shape, generator=rng, dtype=torch.float64).to(dtype) for shape in shapes]


def slopes(f, args, which, eps=1e-6):
    """Central differences of the scalar function f with respect to args[which]."""
    result = torch.zeros_like(args[which])
    for k in range(result.numel()):
        step = torch.zeros_like(result)
        step.view(-1)[k] = eps
        ends = [[*args[:which], args[which] + s, *args[which + 1 :]] for s in (step, -step)]
        result.view(-1)[k] = (f(ends[0]) - f(ends[1])) / (2 * eps)
    return result


@task("residual_block")
def test_example_shape(student):
    """The example of the lesson: x (2, 4) and a hidden layer of 8."""
    out = student.residual_block(*example(torch.float32))
    require(isinstance(out, torch.Tensor), "residual_block must return a torch tensor.")
    require(out.shape == (2, 4), f"x has shape (2, 4), but out has shape {tuple(out.shape)}.")
    require(out.dtype == torch.float32, f"x is float32, but out is {out.dtype}.")


@task("residual_block")
def test_numbers_by_hand(student):
    """Two hidden units, one awake and one asleep, small enough to do on paper."""
    assert_close(student.residual_block(*small_block()), f64([13.0, -22.0]), what="out")


@task("residual_block")
def test_batch_axes(student):
    """A batch of sequences gives for each vector what the vector gives alone."""
    x, *weights = example(batch=(2, 3))
    out = student.residual_block(x, *weights)
    alone = [student.residual_block(row, *weights) for row in x.reshape(-1, 4)]
    for row in alone:
        require(
            isinstance(row, torch.Tensor) and row.shape == (4,),
            "For a single vector x of shape (4,) out must be a tensor of shape (4,).",
        )
    assert_close(out, torch.stack(alone).reshape(2, 3, 4), what="out")


@task("residual_block")
def test_inputs_untouched(student):
    """No input is changed by the call."""
    args = example()
    handles = [student.put(a) for a in args]
    student.residual_block(*handles)
    for name, handle, before in zip(("x", "w1", "b1", "w2", "b2"), handles, args, strict=True):
        assert_exact(student.get(handle), before, what=f"{name} after the call")


@task("residual_block")
def test_gradients_fit_the_output(student):
    """The gradients of all five inputs agree with finite differences of your own output."""
    args = example()
    upstream = f64([[1.0, -2.0, 0.5, 3.0], [0.25, 1.5, -1.0, 2.0]])

    def loss(inputs):
        out = student.residual_block(*inputs)
        require(isinstance(out, torch.Tensor), "residual_block must return a torch tensor.")
        require(out.shape == (2, 4), "out must have the shape of x.")
        return (out * upstream).sum().item()

    _, grads = student.gradients("residual_block", *args, upstream=upstream)
    for which, name in enumerate(("x", "w1", "b1", "w2", "b2")):
        require(grads[which] is not None, f"No gradient reaches {name}.")
        assert_close(grads[which], slopes(loss, args, which), what=f"d{name}", rtol=1e-4)


@task("identity_gradient")
def test_silent_branch(student):
    """w2 and b2 are zero and the upstream gradient is all ones."""
    x, w1, b1, w2, b2 = example(torch.float32)
    out, grads = student.gradients("residual_block", x, w1, b1, 0 * w2, 0 * b2)
    assert_exact(out, x, what="out")
    assert_exact(grads[0], torch.ones_like(x), what="x.grad")


@task("identity_gradient")
def test_silent_branch_any_upstream(student):
    """w2 and b2 are zero and the upstream gradient is some other tensor."""
    x, w1, b1, w2, b2 = example()
    upstream = f64([[1.0, -2.0, 0.5, 3.0], [0.1, 1.5, -1.0, 2.0]])
    _, grads = student.gradients("residual_block", x, w1, b1, 0 * w2, 0 * b2, upstream=upstream)
    assert_exact(grads[0], upstream, what="x.grad")


@task("jacobian")
def test_identity_piece(student):
    """The first piece is the identity matrix, in the dtype of x."""
    for dtype in (torch.float32, torch.float64):
        result = student.residual_jacobian(*example(dtype, batch=()))
        identity, _ = expect_tuple(result, "identity", "branch_jacobian")
        assert_exact(identity, torch.eye(4, dtype=dtype), what="identity")


@task("jacobian")
def test_one_hidden_unit(student):
    """One hidden unit that is awake, small enough to do on paper."""
    args = [f64([1.0, 1.0]), f64([[1.0], [2.0]]), f64([0.5]), f64([[3.0, 4.0]]), f64([9.0, 9.0])]
    _, branch = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    assert_close(branch, f64([[3.0, 6.0], [4.0, 8.0]]), what="branch_jacobian")


@task("jacobian")
def test_hidden_unit_asleep(student):
    """The same hidden unit, but its bias keeps it asleep: nothing gets through the branch."""
    args = [f64([1.0, 1.0]), f64([[1.0], [2.0]]), f64([-5.0]), f64([[3.0, 4.0]]), f64([9.0, 9.0])]
    _, branch = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    assert_close(branch, f64([[0.0, 0.0], [0.0, 0.0]]), what="branch_jacobian")


def slope_block(slope):
    """Parameters of a branch of width 1 that multiplies a positive number by the slope."""
    return f64([[1.0]]), f64([0.0]), f64([[slope]]), f64([0.0])


@task("stack_gradient")
def test_returns_a_float(student):
    """The result is a Python float."""
    value = student.stack_input_gradient(f64([[2.0]]), [slope_block(3.0)], True)
    require(
        isinstance(value, float),
        f"Return a Python float, not {type(value).__name__}; .item() makes one of a tensor.",
    )


@task("stack_gradient")
def test_stack_by_hand(student):
    """Blocks of width 1 whose slopes can be multiplied on paper."""
    x, params = f64([[2.0]]), [slope_block(3.0), slope_block(0.5)]
    assert_close(student.stack_input_gradient(x, params[:1], False), 3.0, what="one branch")
    assert_close(student.stack_input_gradient(x, params[:1], True), 4.0, what="one block")
    assert_close(student.stack_input_gradient(x, params, False), 1.5, what="two branches")
    assert_close(student.stack_input_gradient(x, params, True), 6.0, what="two blocks")


@task("stack_gradient")
def test_norm_over_all_entries(student):
    """Three rows that each receive the same gradient."""
    x = f64([[1.0], [2.0], [3.0]])
    value = student.stack_input_gradient(x, [slope_block(3.0)], True)
    assert_close(value, 4.0 * math.sqrt(3.0), what="norm")


@task("stack_gradient")
def test_twice_the_same(student):
    """Two calls with the same x give the same number and leave x as it was."""
    x = student.put(f64([[2.0], [5.0]]))
    first = student.stack_input_gradient(x, [slope_block(3.0)], False)
    again = student.stack_input_gradient(x, [slope_block(3.0)], False)
    assert_close(first, 3.0 * math.sqrt(2.0), what="first call")
    assert_close(again, 3.0 * math.sqrt(2.0), what="second call")
    assert_exact(student.get(x), f64([[2.0], [5.0]]), what="x after the calls")
