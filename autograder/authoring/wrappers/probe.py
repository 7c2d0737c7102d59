"""Which ways to misbehave would make a difference to a function: tried on what the tests hand over, and on its like.

The tests' own arguments alone would not do: a way that no test meets is what a mutant is for. So `variations.py`
changes them: axes of length one, large numbers, empty lists. What the right function refuses is left out.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.authoring.wrappers.call import arrays, copied, each, is_array, is_float, is_tensor, placed
from autograder.authoring.wrappers.variations import VARIATIONS
from autograder.authoring.wrappers.ways import WAYS, misbehaving

_CLOSE = 1e-9
_FOUND = "would make a difference"


def probed(tried: list[tuple[str, int]], has_raise: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorator that makes a function raise which of the ways, by their places in `tried`, it has found so far."""

    def decorate(right: Callable[..., Any]) -> Callable[..., Any]:
        found: set[int] = set()
        met: set[str] = set()

        def function(*args: Any, **keywords: Any) -> Any:
            given = placed(right, args, keywords)
            if (form := _form(given)) not in met:
                met.add(form)
                found.update(_differing(right, given, tried, has_raise, found))
            raise RuntimeError(f"{_FOUND}: {' '.join(map(str, sorted(found)))}.")

        return function

    return decorate


def found_in(message: str) -> set[int]:
    """The places that a message of `probed` names."""
    _, is_there, rest = message.partition(f"{_FOUND}: ")
    return {int(word) for word in rest.partition(".")[0].split()} if is_there else set()


def _form(value: Any) -> str:
    """What arguments of a kind have in common: each kind is tried once."""
    return repr(each(value, lambda one: (str(one.dtype), one.ndim) if is_array(one) else type(one).__name__))


def _differing(
    right: Callable[..., Any], given: list[Any], tried: list[tuple[str, int]], has_raise: bool, known: set[int]
) -> Iterator[int]:
    found = set(known)
    for name, vary in VARIATIONS.items():
        left = [place for place, (way, _) in enumerate(tried) if name in WAYS[way].shows_on and place not in found]
        for args in vary(given) if left else ():
            remembered = _with_memory(args)
            expected = _seen(right, remembered)
            if _is_refused(right, expected, has_raise):
                continue
            for place in [one for one in left if one not in found]:
                way, which = tried[place]
                if not _alike(expected, _seen(misbehaving(way, which)(right), remembered)):
                    found.add(place)
                    yield place


def _with_memory(args: list[Any]) -> list[Any]:
    """Functions among the arguments answer from memory what they were asked before: they may be far away."""
    return [_remembering(one) if callable(one) else one for one in args]


def _remembering(function: Callable[..., Any]) -> Callable[..., Any]:
    answers: dict[str, Any] = {}

    def ask(*args: Any) -> Any:
        key = repr(each(args, lambda one: (one.tolist(), str(one.dtype), one.shape) if is_array(one) else one))
        if key not in answers:
            answer = function(*args)
            same = next((place for place, one in enumerate(args) if one is answer), None)
            answers[key] = copied(answer), same
        answer, same = answers[key]
        return copied(answer) if same is None else args[same]

    return ask


# --- what is seen of a function ---


def _seen(function: Callable[..., Any], args: list[Any]) -> list[Any]:
    """All that five calls show: results, and arguments after them.

    The second call is the first one again, the third has other arrays of the same shapes, the fourth other numbers;
    then the first ones are looked at once more. For the last call the arrays of the first are changed where they lie.
    """
    others = copied(args)
    _change_arrays(others)
    seen, results = [], []
    for given in (args := copied(args), args, others, _with_other_numbers(others)):
        results.append(_tried(function, given))
        seen.append(copied([results[-1], given]))
    seen.append(copied(results))
    _change_arrays(args)
    return [*seen, _tried(function, args), args]


def _tried(function: Callable[..., Any], args: list[Any]) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return "raised", type(error).__name__, str(error), _own_frame(error)


def _own_frame(error: Exception) -> str:
    """The name of the function that raised the error."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_name if trace else ""


def _is_refused(right: Callable[..., Any], seen: list[Any], has_raise: bool) -> bool:
    result = seen[0][0]
    raised = isinstance(result, tuple) and len(result) == 4 and result[0] == "raised"
    return raised and not (has_raise and result[3] == right.__name__)


def _change_arrays(args: list[Any]) -> None:
    for array in arrays(args):
        if is_float(array) and (is_tensor(array) or array.flags.writeable):
            numbers = array.data if is_tensor(array) else array
            numbers *= 1.5
            numbers += 0.25


def _with_other_numbers(args: list[Any]) -> list[Any]:
    changed: dict[type, Callable[[Any], Any]] = {
        bool: lambda one: not one,
        int: lambda one: one + 1,
        float: lambda one: 1.25 * one,
    }
    return [changed.get(type(one), lambda one: one)(one) for one in args]


def _alike(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if is_array(one):
        return _alike_arrays(one, other)
    if isinstance(one, dict):
        return list(one) == list(other) and _alike(list(one.values()), list(other.values()))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float):
        return bool(np.isclose(one, other, rtol=_CLOSE, atol=0, equal_nan=True))
    return not isinstance(one, int | str | bool) or one == other


def _alike_arrays(one: Any, other: Any) -> bool:
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    if is_tensor(one):
        flags = [(tensor.requires_grad, tensor.is_leaf and tensor.grad is not None) for tensor in (one, other)]
        return flags[0] == flags[1] and _alike_arrays(one.detach().numpy(), other.detach().numpy())
    if one.dtype.kind not in "fc":
        return repr(one.tolist()) == repr(other.tolist())
    return bool(np.allclose(one, other, rtol=_CLOSE, atol=0, equal_nan=True))
