"""The student's own code in this process: the cells of the notebook, and the modules that lie beside it."""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
from types import ModuleType

_CELL = re.compile(r"<cell (\d+)>")
_modules: dict[str, str] = {}  # the names of their files, by what Python calls these in tracebacks

Place = int | str  # the number of a cell, or the name of a module's file


def write_module(file: str, text: str) -> None:
    """Lay a module beside the notebook, which imports it as any other one. Errors: OSError."""
    with open(file, "w", encoding="utf-8", newline="\n") as written:
        written.write(text)
    _modules.update({file: file, os.path.abspath(file): file})
    importlib.invalidate_caches()


def place_of(file: object) -> Place | None:
    """Which of the student's own code has this file name; None for any other code."""
    if cell := _CELL.fullmatch(str(file)):
        return int(cell[1])
    return _modules.get(str(file))


def told(place: Place) -> str:
    """A place in words."""
    return f"cell {place}" if isinstance(place, int) else place


def spaces() -> list[dict[str, object]]:
    """The global names of each module that has been imported."""
    loaded = (sys.modules.get(name) for name in _names())
    return [vars(module) for module in loaded if type(module) is ModuleType]


def is_of_module(value: object) -> bool:
    """Whether a module has defined this function or class."""
    try:
        return getattr(value, "__module__", None) in _names()
    except Exception:  # of an object that answers as it likes
        return False


def bring(source: str, names: dict[str, object]) -> None:
    """Put into `names` all that a cell would have taken from modules, where one thing that is missing has ended it."""
    known, tried = _names(), dict[str, ModuleType]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.module in known:
            if node.module not in tried:
                tried[node.module] = _imported(node.module)
            found = vars(tried[node.module])
            names.update({alias.name: found[alias.name] for alias in node.names if alias.name in found})


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except BaseException:  # the cell has told it
        return ModuleType(name)


def _names() -> set[str]:
    return {file.removesuffix(".py") for file in _modules.values()}
