"""A way to misbehave: what a wrapper does, and on which arguments it shows."""

from collections.abc import Callable
from typing import Any, NamedTuple

from autograder.authoring.wrappers.call import Call


class Way(NamedTuple):
    """does: "a function that ...", with `{argument}` in it where there is a way for each argument.

    shows_on: the variations that it is tried on; none for a way that always makes a difference. of_raise: only for
    functions with a `raise` of their own.
    """

    does: str
    behave: Callable[[Call], Any]
    shows_on: tuple[str, ...]
    of_raise: bool = False


def adding_to(ways: dict[str, Way]) -> Callable[..., Callable[[Any], Any]]:
    """A decorator that enters a function by its name, with its docstring as what it does."""

    def way(*shows_on: str, of_raise: bool = False) -> Callable[[Any], Any]:
        def add(behave: Callable[[Call], Any]) -> Callable[[Call], Any]:
            ways[behave.__name__] = Way(behave.__doc__ or "", behave, shows_on, of_raise)
            return behave

        return add

    return way
