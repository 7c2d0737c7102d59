"""Right work gets full marks, whatever a student or a tool has done to its cells."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import jupytext
import nbformat
import pytest

from autograder.exercise.built import Built, SeededExercise
from autograder.grading.evaluate import Grader
from autograder.submission.samples import solved

Cells = list[dict[str, Any]]
DOUBLE, QUADRUPLE = "double-code", "quadruple-code"


def place(cells: Cells, name: str) -> int:
    return next(number for number, cell in enumerate(cells) if cell.get("id") == name)


def strip(cells: Cells) -> None:
    for cell in cells:
        cell |= {"id": f"c{id(cell)}", "metadata": {}}


def fresh_notebook(cells: Cells) -> None:
    cells[:] = [copy.deepcopy(cells[place(cells, name)]) for name in (DOUBLE, QUADRUPLE)]
    strip(cells)


def all_in_one_cell(cells: Cells) -> None:
    second = cells.pop(place(cells, QUADRUPLE))
    first = cells[place(cells, DOUBLE)]
    first["source"] = f"{first['source']}\n\n\n{second['source']}"
    strip(cells)


def merged_into_a_grade_cell(cells: Cells) -> None:
    second = cells.pop(place(cells, QUADRUPLE))
    cells[place(cells, "double")]["source"] += "\n\n" + second["source"]


def all_above_the_stubs(cells: Cells) -> None:
    written = [copy.deepcopy(cells[place(cells, name)]) for name in (DOUBLE, QUADRUPLE)]
    for name in (DOUBLE, QUADRUPLE):
        cells[place(cells, name)]["source"] = STUBS[name]
    strip(written)
    cells[2:2] = written


def stubs_pasted_everywhere(cells: Cells) -> None:
    for name in (DOUBLE, QUADRUPLE):
        original = cells[place(cells, name)]
        copies = [original | {"id": f"{name}-{number}", "source": STUBS[name]} for number in range(2)]
        at = cells.index(original)
        cells[at : at + 1] = [copies[0], original, copies[1]]


def a_stub_first_that_counts_no_more(cells: Cells) -> None:
    original = cells[place(cells, DOUBLE)]
    cells.insert(cells.index(original), original | {"source": STUBS[DOUBLE]})


def raw_cells_without_names(cells: Cells) -> None:
    cells[place(cells, DOUBLE)]["cell_type"] = "raw"
    strip(cells)


def lines_without_ends(cells: Cells) -> None:
    for cell in cells:
        cell["source"] = cell["source"].splitlines()


def tabs(cells: Cells) -> None:
    for cell in cells:
        cell["source"] = cell["source"].replace("    ", "\t").replace("\n", "\r\n")


STUBS = {
    DOUBLE: 'def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError("not written yet")',
    QUADRUPLE: "START = 0\n\n\ndef quadruple(x):\n    # YOUR CODE HERE\n"
    '    raise NotImplementedError("not written yet")',
}
CHANGES = [
    fresh_notebook,
    all_in_one_cell,
    merged_into_a_grade_cell,
    all_above_the_stubs,
    stubs_pasted_everywhere,
    a_stub_first_that_counts_no_more,
    raw_cells_without_names,
    lines_without_ends,
    tabs,
    strip,
]


def earned(grader: Grader, built: Built, document: Any) -> float:
    raw = document if isinstance(document, str) else json.dumps(document)
    return grader.evaluate(raw.encode(), SeededExercise(built, 0)).report.earned


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changed_cells_of_right_work_get_all_points(
    grader: Grader, tiny_built: Built, change: Callable[[Cells], None]
) -> None:
    document = json.loads(nbformat.writes(solved(tiny_built)))
    for cell in document["cells"]:
        cell["source"] = "".join(cell["source"])
    change(document["cells"])
    assert earned(grader, tiny_built, document) == 7


@pytest.mark.parametrize("format", ["py:percent", "py:light", "py:sphinx", "md", "Rmd"])
@pytest.mark.parametrize("stripped", [False, True])
def test_right_work_that_was_a_text_in_between_gets_all_points(
    grader: Grader, tiny_built: Built, format: str, stripped: bool
) -> None:
    notebook = solved(tiny_built)
    if stripped:
        strip(notebook.cells)
    text = jupytext.writes(notebook, fmt=format)
    assert earned(grader, tiny_built, nbformat.writes(jupytext.reads(text, fmt=format))) == 7


def test_right_work_in_an_old_format_gets_all_points(grader: Grader, tiny_built: Built) -> None:
    old = nbformat.convert(solved(tiny_built), 3)
    assert earned(grader, tiny_built, nbformat.writes(old, version=3)) == 7


def test_the_stubs_of_this_file_are_those_of_the_release(tiny_built: Built) -> None:
    assert {cell.id: cell.source for cell in tiny_built.release.cells if cell.id in STUBS} == STUBS
