"""Notebooks of a few lines in the isolated process, without an exercise around them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil

from autograder.checks.compare import Mismatch
from autograder.exercise.definition import Limits
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.isolation.protection import Protection
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import CellResult, Session
from autograder.report import Status
from autograder.submission.notebook import Cell, Role

SMALL = Limits(cpu_seconds=1, wall_seconds=10, total_cpu_seconds=60, memory=512, restarts=6)
QUICK = Limits(cpu_seconds=0.5, wall_seconds=10, total_cpu_seconds=60, memory=512, restarts=6)
NUMPY = ("numpy", "matplotlib")  # what a warm parent has for every exercise
GRADE = Cell("code", 'check("t")', Role.GRADE, "t")


def protection(disabled: Iterable[str] = (), tolerated: Iterable[str] = ()) -> Protection:
    """All of it but these layers; breaches of these guarantees do not matter."""
    return Protection(disabled_layers=frozenset(disabled), tolerated_breaches=frozenset(tolerated))


def given(source: str) -> Cell:
    """A cell of the course's own."""
    return Cell("code", source, Role.GIVEN, "setup")


def play(
    sandbox: Sandbox, *cells: str | Cell, limits: Limits = SMALL, files: Mapping[str, bytes] = MappingProxyType({})
) -> Session:
    """A notebook of these cells, run; a text stands for a code cell of the student's own."""
    notebook = tuple(cell if isinstance(cell, Cell) else Cell("code", cell) for cell in cells)
    return Session(sandbox, limits, notebook, files)


def runs(sandbox: Sandbox, *cells: str | Cell, limits: Limits = SMALL) -> list[CellResult]:
    """What each code cell of a notebook did."""
    with play(sandbox, *cells, limits=limits) as session:
        return list(session.runs.values())


def status(student: Student, name: str, *arguments: Any) -> Status:
    """How a hidden test would end that calls a function and wants 42 from it."""
    try:
        value = getattr(student, name)(*arguments)
    except StudentFailure as failure:
        return failure.status
    except Mismatch:
        return Status.FAILED
    return Status.PASSED if type(value) is int and value == 42 else Status.FAILED


def descendants() -> set[int]:
    """Every process below the grader: the warm parents, the students', and what those started."""
    return {process.pid for process in psutil.Process().children(recursive=True)}


def files_named(name: str) -> list[Path]:
    """Where a file of this name lies in the folders that the students' processes may write to."""
    temporary = Path(tempfile.gettempdir())
    folders = (top for folder in temporary.glob("autograder-*") for top in os.walk(folder))
    return [Path(top, name) for top, below, files in folders if name in (*below, *files)]
