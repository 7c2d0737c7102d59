"""Where the reference and the hidden tests run in the grader's process: among the files that the exercise gives.

They open those by their bare names and import the modules among them, as the notebook does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from types import ModuleType

from autograder.exercise.definition import Exercise
from autograder.exercise.given_files import modules_among

_loaded: dict[tuple[object, ...], dict[str, ModuleType]] = {}  # other exercises may have modules of the same names


@contextmanager
def among_its_files(exercise: Exercise) -> Iterator[None]:
    """The exercise's folder is the current one, and its modules are the ones of their names. Nothing is written."""
    folder, names = str(exercise.folder.absolute()), modules_among(exercise.files)
    loaded = _loaded.setdefault((folder, *exercise.given_digests.items()), {})
    writes_none, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.modules.update(loaded)
    sys.path.append(folder)
    try:
        with chdir(folder):
            yield
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = writes_none
        loaded |= {name: sys.modules.pop(name) for name in names if name in sys.modules}
