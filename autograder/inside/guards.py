"""Calls of libraries' functions that a task does not allow are noted where they come from a cell, and go on as ever.

A call that comes from a library is that library's own affair, and what a cell tries out with a function is none of that
function's. The notes are those of the student's process, whose code can take the guards away: that there is none proves
nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from types import FrameType
from typing import Any

import numpy as np

from autograder.inside.own_code import Place, place_of

_AT_THE_MARGIN = ("<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

Note = tuple[str, Place, int]  # the dotted name, the cell or file, the line


class Guards:
    """Those of one process."""

    def __init__(self) -> None:
        self._told: set[Note] = set()
        self._notes: list[Note] = []

    def put_up(self, names: Iterable[str]) -> None:
        """Guard functions, methods and classes by their dotted names. Builtin types and ufuncs cannot be guarded."""
        for name in names:
            self._guard(name)

    def take(self) -> list[Note]:
        """What has been noted since the last time; the same place once."""
        taken, self._notes = self._notes, []
        return taken

    def _guard(self, name: str) -> None:
        try:
            owner, last = _owner_of(name), name.rpartition(".")[2]
            guarded = getattr(owner, last)
            if isinstance(guarded, type):
                owner, last, guarded = guarded, "__init__", guarded.__init__  # type: ignore[misc]
            if callable(guarded) and not isinstance(guarded, np.ufunc) and guarded is not object.__init__:
                setattr(owner, last, self._noting(name, guarded))
        except (AttributeError, TypeError):  # not there, or not to be changed
            pass

    def _noting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            self._note(name, sys._getframe(1))
            return function(*arguments, **keywords)

        return call

    def _note(self, name: str, caller: FrameType) -> None:
        place = place_of(caller.f_code.co_filename)
        if place is not None and (_is_margin(caller) or not _is_in_a_cell(caller)):
            note = (name, place, caller.f_lineno)
            self._notes += [note] if note not in self._told else []
            self._told.add(note)


def _is_margin(frame: FrameType) -> bool:
    return frame.f_code.co_name in _AT_THE_MARGIN


def _is_in_a_cell(frame: FrameType) -> bool:
    """Whether a cell has called it, maybe as an experiment with other functions, and no test."""
    above: FrameType | None = frame
    while above and (above.f_code.co_name != "<module>" or place_of(above.f_code.co_filename) is None):
        above = above.f_back
    return above is not None


def _owner_of(name: str) -> Any:
    """The module or class that a dotted name is looked up in. Errors: AttributeError where it is not there."""
    parts = name.split(".")[:-1]
    prefixes = [".".join(parts[:end]) for end in range(len(parts) + 1)]
    loaded = max(end for end, prefix in enumerate(prefixes) if end == 0 or prefix in sys.modules)
    owner: Any = sys.modules.get(prefixes[loaded])
    for part in parts[loaded:]:
        owner = getattr(owner, part)
    return owner
