"""The modules that students write beside the notebook: what they hold, and loaded anew where their files have changed.

Part of every `checks.py`. The build writes the constant `MODULES` above, the names that the setup cell
takes from each file.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Collection
from pathlib import Path
from traceback import format_exception_only
from types import FrameType, ModuleType


def module_files() -> list[str]:
    """Return the names of their files."""
    return list(globals().get("MODULES", ()))


def text_of(file: str) -> str:
    """Return what a file beside the notebook holds; nothing where it cannot be read."""
    try:
        return Path(__file__).with_name(file).read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


def file_of_frame(frame: FrameType) -> str:
    """Return the file of the module whose code a frame runs; nothing for all other code."""
    file = f"{frame.f_globals.get('__name__')}.py"
    return file if file in module_files() else ""


def load_anew() -> str:
    """Load each module whose file has changed, for whoever has imported it; say why one cannot be, if so."""
    for file in module_files():
        module, text = sys.modules.get(file.removesuffix(".py")), text_of(file)
        if module is None or text == _texts.get(file):
            continue
        before = dict(vars(module))
        try:
            importlib.reload(module)
        except Exception as error:
            return _not_imported(file, error)
        _texts[file] = text
        _hand_on(module, before)
    return ""


def why_not_brought(names: Collection[str]) -> str:
    """Say what is wrong with the modules that should bring these names; nothing where other code brings some of them.

    So it is where the setup cell, which imports from modules at its end, has ended there.
    """
    modules: dict[str, list[str]] = globals().get("MODULES", {})
    if not {*names}.issubset(name for taken in modules.values() for name in taken):
        return ""
    importlib.invalidate_caches()
    for file, taken in modules.items():
        try:
            module = importlib.import_module(file.removesuffix(".py"))
        except (Exception, SystemExit) as error:
            return _not_imported(file, error)
        if lacking := [name for name in taken if name not in vars(module)]:
            return f"there is no `{lacking[0]}` in {file}"
    return ""


def _not_imported(file: str, error: BaseException) -> str:
    return f"{file} cannot be imported: {''.join(format_exception_only(error)).strip()}"


def _hand_on(module: ModuleType, before: dict[str, object]) -> None:
    """Put the new functions and classes in the place of the old ones in the notebook and in the other modules."""
    others = [sys.modules.get(file.removesuffix(".py")) for file in module_files()]
    for space in (vars(one) for one in (sys.modules["__main__"], *others) if one and one is not module):
        for name, value in vars(module).items():
            if (
                name in before
                and space.get(name) is before[name]
                and getattr(value, "__module__", None) == module.__name__
            ):
                space[name] = value


def without_imports(source: str, files: Collection[str]) -> str:
    """Return code without what it takes by `from ... import` from these modules, line by line where it was."""
    if not files:
        return source
    names = "|".join(re.escape(file.removesuffix(".py")) for file in files)
    taken = re.compile(rf"^([ \t]*)from[ \t]+(?:{names})[ \t]+import\b[ \t]*(?:\([^)]*\)|.*)", re.MULTILINE)
    return taken.sub(lambda found: (found[1] and f"{found[1]}pass") + "\n" * found[0].count("\n"), source)


_texts = {file: text_of(file) for file in module_files()}  # as the setup cell, which brings these checks, imports them
