"""`.autograder/<exercise>/` in the course folder: what is kept between runs. Deleting it costs time, nothing else."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

_DECIDING = ("autograder", "numpy", "torch", "ipython", "matplotlib")


def memory_folder(root: Path) -> Path:
    """Where a course keeps it."""
    return root / ".autograder"


@cache
def versions() -> list[str]:
    """Of Python and of the packages that a report may hang on."""
    return [sys.version, *map(version, _DECIDING)]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, its folder too: whole or not at all, wherever the grader is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
