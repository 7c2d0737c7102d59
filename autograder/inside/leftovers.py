"""What a killed grader could not remove: its folders and control groups carry the number of a process that is gone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from autograder.inside.cgroup import parents
from autograder.layout import TEMPORARY_PREFIX

_NUMBERED = re.compile(rf"{TEMPORARY_PREFIX}(?:try-)?(\d+)(?:-.*)?")


def new_folder(purpose: str) -> str:
    """A new empty folder that `sweep` will know as this process's."""
    return tempfile.mkdtemp(prefix=f"{TEMPORARY_PREFIX}{os.getpid()}-{purpose}-")


def remove(folder: str) -> None:
    """Remove a folder, also one that a student made hard to remove: closed folders, thousands in one another."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    for command in ("rm -rf", "chmod -R u+rwx", "rm -rf"):  # these keep neither a path nor a stack
        if os.path.isdir(folder) and not os.path.islink(folder):
            subprocess.run([*command.split(), folder], check=False, stderr=subprocess.DEVNULL)


def sweep() -> None:
    """Remove what belongs to no living process, as far as this user may."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*"):
        if _is_ownerless(folder):
            remove(str(folder))
    for parent in parents():
        for group in parent.glob(f"{TEMPORARY_PREFIX}*"):
            if _is_ownerless(group):
                with suppress(OSError):
                    group.rmdir()


def _is_ownerless(path: Path) -> bool:
    numbered = _NUMBERED.fullmatch(path.name)
    return numbered is not None and not Path(f"/proc/{numbered[1]}").exists()
