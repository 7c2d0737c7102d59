"""What a killed grader could not remove: its folders and control groups carry the number of a process that is gone."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from autograder.inside.cgroup import parents

PREFIX = "autograder-"
_NUMBERED = re.compile(rf"{PREFIX}(?:try-)?(\d+)(?:-.*)?")


def new_folder(purpose: str) -> str:
    """A new empty folder that `sweep` will know as this process's."""
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{purpose}-")


def sweep() -> None:
    """Remove what belongs to no living process, as far as this user may."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if _is_ownerless(folder):
            shutil.rmtree(folder, ignore_errors=True)
    for parent in parents():
        for group in parent.glob(f"{PREFIX}*"):
            if _is_ownerless(group):
                with suppress(OSError):
                    group.rmdir()


def _is_ownerless(path: Path) -> bool:
    numbered = _NUMBERED.fullmatch(path.name)
    return numbered is not None and not Path(f"/proc/{numbered[1]}").exists()
