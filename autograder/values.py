"""What a value is: the one place that says what counts as a number, an array or a tensor.

A student's result is compared twice: by `check(...)` as the function returned it, and by the hidden tests after it has
crossed from the student's process. Both ask here, so that both come to the same verdict. The rule is what a careful
person would accept who reads the entries and does not mind how they are kept:

    number   a bool, int, float, complex or NumPy scalar, or an array without dimensions, of a plain dtype
    array    a NumPy array of a plain dtype, whatever its order in memory or its byte order
    tensor   a PyTorch tensor or Parameter of a plain dtype, dense, on any device, whether it requires a gradient or not

Plain dtypes are truth values, integers, floats and complex numbers of 8 to 64 bits a part, the same on every machine;
for tensors bfloat16, too, and no unsigned integers above 8 bits. NaN and infinities are entries like others. None,
text, lists, tuples and dicts are no numbers but cross as what they are.

A subclass of Python's own types counts as what it is a kind of: a NamedTuple is a tuple, an IntEnum an int, an
OrderedDict a dict, taken by the base's own methods, whatever the subclass redefines. A subclass of ndarray or Tensor is
an object: a matrix multiplies otherwise, a masked array hides entries, so the code after it would do something else.

All else is an object, of which only the name of its type is told: long doubles, whose digits depend on the machine,
and NumPy's dates. Arrays of objects, texts, dates, records or long doubles and tensors that are sparse, nested,
quantized or without memory have a form at most, and match nothing.

This module stands alone, since its source becomes part of every `checks.py` and the student's process loads it: the
standard library and NumPy only, and torch only where somebody else has imported it already.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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
    (complex, complex.__pos__),  # Python 3.10 has no `complex.__complex__`
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
