"""Notebook files that are made to break or to stop whoever reads them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import nbformat
import pytest

from autograder.exercise.built import Built, SeededExercise
from autograder.grading.evaluate import Evaluation, Grader
from tests.attacks.world import LARGEST_GRADER, honest, largest_memory, memory_now

pytestmark = pytest.mark.usefixtures("patience")

LONGEST = 20  # seconds, on a busy machine
LARGEST_NOTEBOOK = 80 << 20  # bytes of what is written of a file of at most 64 MiB


def with_cells(*cells: dict[str, Any]) -> Callable[[dict[str, Any]], bytes]:
    """The right notebook with these cells at its end."""
    return lambda notebook: json.dumps({**notebook, "cells": [*notebook["cells"], *cells]}).encode()


def prose(text: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "prose", "metadata": {}, "source": text}


def code(text: str | list[str], number: int = 0) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": f"code{number}", "metadata": {}, "source": text}
    return cell | {"outputs": [], "execution_count": None}


def nested(place: str, depth: int) -> Callable[[dict[str, Any]], bytes]:
    """The right notebook with lists in lists in front of something."""
    lists = f'"deep": {"[" * depth}{"]" * depth}, '
    return lambda notebook: json.dumps(notebook).replace(place, lists + place, 1).encode()


FILES: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "nested a little": nested('"nbformat"', 900),
    "nested": nested('"nbformat"', 100_000),
    "nested cells": nested('"cell_type"', 100_000),
    "nested outputs": nested('"outputs"', 3000),
    "only brackets": lambda _: b"[" * 10_000_000,
    "a number of a million digits": lambda _: b"9" * 1_000_000,
    "a hundred megabytes": with_cells(code("#" * (100 << 20))),
    "a long line of code": with_cells(code("x = [" + "1," * 2_000_000 + "]")),
    "a thousand cells": with_cells(*(code("1", number) for number in range(1000))),
    "a hundred thousand cells": with_cells(*(code("1", number) for number in range(100_000))),
    "a cell twenty thousand times": with_cells(*[code("1")] * 20_000),
    "three million lines of prose": with_cells(prose(["\n"] * 3_000_000)),
    "three million lines of code": with_cells(code(["\n"] * 3_000_000)),
    "prose with a gap": with_cells(prose("a" + " " * 1_000_000 + "b")),
    "prose in boxes": with_cells(prose("<div>" * 200_000)),
    "prose of signs": with_cells(prose("&<*_`[" * 300_000)),
    "prose of links": with_cells(prose("[a](" * 300_000)),
    "prose of quotations": with_cells(prose("\n".join(">" * (n % 90) + " a" for n in range(30_000)))),
    "prose of tables": with_cells(prose("|a" * 300_000 + "\n" + "|-" * 300_000)),
    "prose in many cells": with_cells(*[prose("a" + " " * 5000 + "b")] * 1500),
    "prose of signs in many cells": with_cells(*[prose("&<*_`[" * 8000)] * 500),
    "prose of formulas": with_cells(prose("$$" + "x_" * 500_000 + "$" * 99_999)),
}


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
def test_a_file_costs_the_grader_neither_its_time_nor_its_memory(
    built: Built, grader: Grader, make: Callable[[dict[str, Any]], bytes]
) -> None:
    """It counts as right work with something added, or as a file that cannot be read."""
    raw = make(json.loads(honest(built)))
    memory, begin = memory_now(), time.monotonic()
    evaluation = grader.evaluate(raw, SeededExercise(built, 1))
    assert time.monotonic() - begin < LONGEST
    assert largest_memory() - memory < LARGEST_GRADER
    assert not evaluation.report.fault
    assert is_right(evaluation) or is_unreadable(evaluation)
    assert len(nbformat.writes(evaluation.notebook)) < LARGEST_NOTEBOOK
    assert is_right(grader.evaluate(honest(built), SeededExercise(built, 1)))


def is_right(evaluation: Evaluation) -> bool:
    return evaluation.report.earned == evaluation.report.automatic_points and not evaluation.report.ungraded


def is_unreadable(evaluation: Evaluation) -> bool:
    """Then every task waits for a person, and no number stands."""
    unreadable = "unreadable" in {finding.kind for finding in evaluation.report.findings}
    return unreadable and all(task.earned is None for task in evaluation.report.tasks)
