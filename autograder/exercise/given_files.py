"""The files that an exercise gives beside its notebook, `files` in exercise.toml: their names, and what is in them."""

from __future__ import annotations

import keyword
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from importlib.machinery import PathFinder, all_suffixes
from pathlib import Path, PurePath

from autograder.errors import ExerciseError
from autograder.tree import UnsafeError, read

MOST_MIB = 32  # of all files of an exercise: each student's process gets a copy
_MOST = 100
_NAME = re.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_CHECKS = re.compile(r"checks_.*\.py")  # of a notebook that is one of several
_PLAIN = "up to 100 ASCII letters, digits, - _ and ., the first one a letter, digit or _"
_TAKEN = (
    "checks.py exercise.toml notebook.py test_public.py test_hidden.py equivalent.toml timestamp.txt "
    "submission_secret.txt"
).split()
_LOADED = ("autograder", "conftest", "sitecustomize", "usercustomize")  # by grader, pytest or Python, unasked
_WRITTEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}\.py")
_MODULE, _NOTEBOOK = ".py", ".ipynb"
_COMPILED = tuple({*all_suffixes(), ".pyc", ".pyd", ".so"} - {_MODULE})


def unfit_names(names: Sequence[str], packages: Collection[str]) -> Iterator[str]:
    """What keeps each name from being that of a given file. packages: those that the exercise names itself."""
    if len(names) > _MOST:
        yield f"names {len(names)} files; {_MOST} is the most, so put some of them into an archive"
    counted = Counter(name.casefold() for name in names)  # which some file systems take for one
    for name in names:
        if reason := _why_unfit(name, packages):
            yield f"names `{name}`, {reason}"
        elif counted[name.casefold()] > 1:
            yield f"names `{name}` twice, but for capitals"


def unfit_modules(names: Sequence[str], given: Collection[str], packages: Collection[str]) -> Iterator[str]:
    """The same of the modules that students write. given: the files that the exercise gives."""
    yield from unfit_names(names, packages)
    for name in names:
        if not _WRITTEN.fullmatch(name):
            yield f"names `{name}`, which is no name of a module: up to 40 ASCII letters, digits and _, and .py"
        if name.casefold() in map(str.casefold, given):
            yield f"names `{name}`, which `files` names, too: either students get it or they write it"


def read_given_files(folder: Path, names: Collection[str]) -> dict[str, bytes]:
    """Their contents, by name.

    Errors: ExerciseError where one is no regular file of the folder, or all of them are too large.
    """
    toml, most = folder / "exercise.toml", MOST_MIB << 20
    size = sum((folder / name).stat().st_size for name in names if (folder / name).is_file())
    if size > most:
        told = f"are {-(-size >> 20)} MiB; {MOST_MIB} MiB is the most, as each student's process gets a copy"
        raise ExerciseError(f"{toml}: the files that `files` names {told}")
    try:
        return {name: read(folder, name, most, trusted=folder) for name in names}
    except UnsafeError as error:
        raise ExerciseError(f"{toml}: of the `files`, {error}") from None


def modules_among(names: Collection[str]) -> list[str]:
    """The names by which Python imports those files that are modules."""
    return [PurePath(name).stem for name in names if name.endswith(_MODULE)]


def _why_unfit(name: str, packages: Collection[str]) -> str:
    if not _NAME.fullmatch(name):
        return f"which is no plain name of a file in the exercise's own folder: {_PLAIN}"
    if name.casefold() in _TAKEN or _CHECKS.fullmatch(name.casefold()):
        return "which has a meaning of its own; choose another name"
    if name.casefold().endswith(_NOTEBOOK):
        return "which is a notebook; an exercise has one, which is built"
    if name.endswith(_COMPILED):
        return "which is a compiled module; give its source"
    module = PurePath(name).stem if name.endswith(_MODULE) else ""
    if keyword.iskeyword(module) or module.startswith("__"):
        return "which no `import` can mean; choose another name"
    if module and _is_known_module(module, packages):
        return f"which would stand in the place of the module `{module}`; choose another name"
    return ""


def _is_known_module(name: str, packages: Collection[str]) -> bool:
    """Whether `import name` means something without the file: then it would be one thing at home and another here."""
    installed = [path for path in sys.path if path.rstrip("/").endswith(("site-packages", "dist-packages"))]
    found = PathFinder.find_spec(name, installed)
    return name in (*sys.stdlib_module_names, *_LOADED, *packages) or bool(found and found.origin)
