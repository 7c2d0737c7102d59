"""All ways to misbehave, and what makes a function go one of them."""

from collections.abc import Callable
from typing import Any

from autograder.authoring.wrappers.call import Call, placed
from autograder.authoring.wrappers.inputs import INPUTS
from autograder.authoring.wrappers.odd_results import ODD_RESULTS
from autograder.authoring.wrappers.state import STATE

WAYS = INPUTS | ODD_RESULTS | STATE  # all are tried in one process, so what leaves its modes changed comes last


def misbehaving(way: str, which: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorator that makes a right function go this way."""

    def decorate(right: Callable[..., Any]) -> Callable[..., Any]:
        memory: dict[Any, Any] = {}

        def function(*args: Any, **keywords: Any) -> Any:
            return WAYS[way].behave(Call(right, placed(right, args, keywords), memory, which))

        return function

    return decorate
