"""Comparisons of what learns: PyTorch modules under the same weights, and the losses of a training loop.

Like compare.py, part of every `checks.py`; torch is there where a module is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.checks.compare import Mismatch, assert_close, require
from autograder.values import entries_of, layout_of, module_gradients

_SHARE = 10  # of a loop's steps, whose median loss stands for its beginning and its end


def assert_same_module(
    student: Any,
    module: Any,
    expected: Any,
    *inputs: Any,
    upstream: Any = None,
    close: Callable[[Any, Any, str], None] = assert_close,
) -> None:
    """Raise Mismatch unless a student's module does what `expected`, the reference's, does with its weights and mode.

    Compared are the names and shapes of parameters and buffers, what comes out for `inputs`, the
    gradients at these and at the parameters for `upstream` (all ones if None), and the buffers
    afterwards. Both modules are called once.
    """
    _require_same_layout(student.layout(module), layout_of(expected))
    module.load_state_dict(expected.state_dict())
    module.train(expected.training)
    result, at_inputs, at_parameters = student.module_gradients(module, *inputs, upstream=upstream)
    wanted, wanted_at_inputs, wanted_at_parameters = module_gradients(expected, inputs, upstream)
    close(result, wanted, "what the module returns")
    for number, (mine, right) in enumerate(zip(at_inputs, wanted_at_inputs, strict=True), start=1):
        _compare_gradients(mine, right, f"input {number}", close)
    for name, right in wanted_at_parameters.items():
        _compare_gradients(at_parameters.get(name), right, f"the parameter `{name}`", close)
    buffers = module.state_dict()
    for name, buffer in expected.named_buffers():
        if name in expected.state_dict():
            close(buffers.get(name), buffer, f"the buffer `{name}` afterwards")


def assert_falls(losses: Any, *, to: float, what: str = "the loss") -> None:
    """Raise Mismatch unless `losses`, step by step, end at `to` times their beginning or below.

    Robust against single steps: the median of the first tenth is compared with that of the last.
    """
    entries = _numbers(losses)
    if entries is None or entries.ndim != 1 or len(entries) < 2 or entries.dtype.kind not in "fiu":
        raise Mismatch(f"{what}: it should be a sequence of numbers, one for each step")
    require(bool(np.isfinite(entries).all()), f"{what}: some of it is not finite")
    share = max(1, len(entries) // _SHARE)
    first, last = float(np.median(entries[:share])), float(np.median(entries[-share:]))
    require(
        last <= to * first,
        f"{what} should fall to {to:g} times its beginning or below; yours goes from {first:.4g} to {last:.4g}",
    )


def _numbers(losses: Any) -> NDArray[Any] | None:
    """Return the entries of an array or tensor, or of a list of single ones; None where there are others in it."""
    if not isinstance(losses, (list, tuple)):
        return entries_of(losses)
    entries = [entries_of(one) for one in losses]
    return None if any(one is None or one.ndim for one in entries) else np.asarray(entries)


def _require_same_layout(mine: Mapping[Any, Any], right: Mapping[str, Any]) -> None:
    if missing := [name for name in right if name not in mine]:
        raise Mismatch(f"the module has no parameter or buffer named `{missing[0]}`; yours are {_listed(mine)}")
    if other := [name for name in mine if name not in right]:
        raise Mismatch(f"the module has a parameter or buffer that is not asked for: `{str(other[0])[:60]}`")
    for name, shape in right.items():
        if mine[name] != shape:
            yours = "is no tensor" if mine[name] is None else f"has shape {mine[name]}"
            raise Mismatch(f"`{name}` should have shape {shape}, yours {yours}")


def _listed(names: Any) -> str:
    return ", ".join(f"`{str(name)[:60]}`" for name in list(names)[:12]) or "none"


def _compare_gradients(mine: Any, right: Any, of: str, close: Callable[[Any, Any, str], None]) -> None:
    if right is None:
        require(mine is None, f"no gradient should reach {of}")
    else:
        require(mine is not None, f"no gradient reaches {of}")
        close(mine, right, f"the gradient at {of}")
