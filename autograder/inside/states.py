"""The notebook's global names as they stood at each grade cell, brought back for the tests of its task.

All functions of a notebook look their globals up in one dict, those of a module beside it in another one, so exchanging
what is in them brings back a whole state in microseconds. What a name stood for is brought back, not what was done to
it since: an array that a later cell has written into stays written into.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from autograder.inside import own_code

_NOTHING = object()

Names = dict[str, object]


class States:
    """The states of one notebook, by name. `names` is the dict that its functions look into."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._kept: dict[str, Names] = {}
        self._of_modules: dict[str, list[tuple[Names, Names]]] = {}  # the names themselves, and as they stood
        self._given: Names = {}
        self._stand_ins: Names = {}
        self._bound_by: dict[str, int] = {}
        self._entered: str | None = None

    @contextmanager
    def watching(self, number: int, is_given: bool) -> Iterator[None]:
        """Note which names the cell that is run meanwhile binds; those of a given cell are in force in every state.

        What it takes from a module of the student's is not given.
        """
        before = dict(self._names)
        yield
        for name in self._names.keys() | before.keys():
            if self._names.get(name, _NOTHING) is not before.get(name, _NOTHING):
                self._bound_by[name] = number
                if is_given and name in self._names and not own_code.is_of_module(self._names[name]):
                    self._given[name] = self._names[name]

    def keep(self, state: str) -> None:
        """Remember the names as they stand now."""
        self._kept[state] = self._names | self._given
        self._of_modules[state] = [(space, dict(space)) for space in own_code.spaces()]

    def bind(self, values: Names) -> None:
        """From now on names stand for these, those that a module has there, too."""
        self._names.update(values)
        for space in own_code.spaces():
            space.update(_of_these(values, space))

    def stand_in(self, functions: Names) -> None:
        """From now on these are in the places of the notebook's own functions, in every state."""
        self._stand_ins = functions

    def enter(self, state: str) -> None:
        """Bring a state back; one that was never kept has no names."""
        if state != self._entered:
            self._names.clear()
            self._names.update(self._kept.get(state, {}) | self._stand_ins)
            for space, names in self._of_modules.get(state, []):
                space.clear()
                space.update(names | _of_these(self._stand_ins, names))
            self._entered = state

    def changes(self, earlier: str, later: str, functions: list[str]) -> dict[str, int]:
        """The names that were bound anew between two states, of what these functions are or use, each with its cell."""
        then, now = self._kept.get(earlier, {}), self._kept.get(later, {})
        seen: set[str] = set()
        left, cells = [*functions], dict[str, int]()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            was, is_now = then.get(name, _NOTHING), now.get(name, _NOTHING)
            if was is not is_now:
                cells[name] = self._bound_by.get(name, 0)
            left += [*_used(was), *_used(is_now)]
        return cells


def _of_these(values: Names, names: Names) -> Names:
    """Those of the values whose names are there already."""
    return {name: value for name, value in values.items() if name in names}


def _used(value: object) -> Iterator[str]:
    """The global names that a function or class may use."""
    seen: set[int] = set()
    left = [value]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, types.CodeType):
            yield from one.co_names
            left += one.co_consts
        else:
            left += _parts(one)


def _parts(value: object) -> list[object]:
    """What a function or class is made of that may be code of the notebook's."""
    match value:
        case types.FunctionType():
            cells = [cell.cell_contents for cell in value.__closure__ or () if cell != types.CellType()]
            defaults = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            return [value.__code__, *cells, *defaults, vars(value).get("__wrapped__")]
        case partial():
            return [value.func]
        case types.MethodType() | staticmethod() | classmethod():
            return [value.__func__]
        case property():
            return [value.fget, value.fset]
        case type() if value.__module__ == "__main__":
            return [*vars(value).values(), *value.__bases__]
    return [vars(value).get("__wrapped__")] if hasattr(value, "__dict__") else []
