"""The names of the running notebook: which of those that the tasks ask for are there, and why others are not.

Part of every `checks.py`. The build writes two constants above: `TASKS` has what each task asks for, and `SETUP` the
first line of the setup cell and the names that it brings.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from traceback import walk_tb
from types import FrameType
from typing import Any

from autograder.checks.modules import file_of_frame, why_not_brought


class UndefinedError(Exception):
    """A test calls a function that the notebook does not define."""


def tasks() -> dict[str, dict[str, Any]]:
    """Return TASKS, by the task's name: "title", "points", "functions", "variables" if any, "hint", "beyond"."""
    known: dict[str, dict[str, Any]] = globals()["TASKS"]
    return known


def names_of(kind: str) -> list[str]:
    """Return what all tasks name: their "functions" or their "variables"."""
    return [name for spec in tasks().values() for name in spec.get(kind, ())]


def asked_of(task: str) -> list[str]:
    """Return the functions and variables that a task asks for."""
    return [*tasks()[task]["functions"], *tasks()[task].get("variables", ())]


def notebook() -> dict[str, Any]:
    """Return the variables of the running notebook."""
    return vars(sys.modules["__main__"])


def is_defined(name: str) -> bool:
    """Whether the notebook has this function, class or variable."""
    return name in notebook() if name in names_of("variables") else callable(notebook().get(name))


def found(name: str) -> Any:
    """Return the function, class or variable of this name. Errors: UndefinedError."""
    if not is_defined(name):
        raise UndefinedError(name)
    return notebook()[name]


# --- why a name is not there ---


def setup_to_run() -> str:
    """Say that the setup cell must be run, if what it brings is not there, and what ended it; else nothing."""
    first_line, brought = globals()["SETUP"]
    missing = [name for name in brought if name not in notebook()]
    cell = f"the cell that begins with `{first_line}`"
    if missing and (fault := why_not_brought(missing)):
        return f"{fault}. Mend that, save the file, and run {cell} again"
    return f"first run {cell}: all others need it" if missing else ""


def why_undefined(names: Sequence[str]) -> list[str]:
    """Say of names that are not defined what may be the reason, and what to do.

    Cells that were run tell themselves; of others nobody here knows whether something is written in them.
    """
    failed = [name for name in names if _was_run(name)]
    others = [name for name in names if name not in failed]
    told = [f"`{name}` is not defined, as its cell ended with an error: run it again and read that" for name in failed]
    if others:
        listed = " and ".join(f"`{name}`" for name in others)
        it, its_cell, them = ("is", "its cell", "it") if len(others) == 1 else ("are", "their cells", "them")
        told.append(f"{listed} {it} not defined here: run {its_cell}; if nothing is written there yet, write {them}")
    return told


def is_restarted(task: str) -> bool:
    """Whether what an earlier task asks for is not there either, so that the cells above have probably not been run."""
    earlier = list(tasks())[: list(tasks()).index(task)]
    return any(not is_defined(name) and not _was_run(name) for one in earlier for name in asked_of(one))


def _was_run(name: str) -> bool:
    """Whether a cell that gives the name its value has been run since the kernel was started, as IPython remembers."""
    binds = re.compile(rf"^((async\s+)?def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*[=:,]", re.MULTILINE)
    return any(binds.search(str(cell)) for cell in notebook().get("In", ()))


def stub_of(error: BaseException) -> str | None:
    """Return the name of the notebook's function that says it is not written yet, else None.

    Libraries raise NotImplementedError too, so both the message and the place have to fit.
    """
    if type(error) is not NotImplementedError or str(error) not in ("", "not written yet"):
        return None
    *_, (frame, _) = walk_tb(error.__traceback__)
    name = function_name(frame)
    return name if is_own(frame) and name != "<module>" else None


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs code of the notebook, or of a module that students write."""
    return frame.f_globals is notebook() or bool(file_of_frame(frame))


def undefined_name(error: BaseException, names: Sequence[str]) -> str | None:
    """Return which of `names` is the one whose lack the error is about, else None."""
    name = error.name if type(error) is NameError else None
    return name if name in names else None


def function_name(frame: FrameType) -> str:
    """Return the function that a frame runs; the outermost one for a function within it, where Python (3.11) knows."""
    return str(getattr(frame.f_code, "co_qualname", frame.f_code.co_name)).split(".")[0]
