"""Notebook files as tools write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autograder.submission.cells import Cell
from autograder.submission.parsing import parse

SOURCE = "def double(x):\n\n    return 2 * x"


def only_cell(cell: dict[str, Any]) -> Cell:
    (found,) = parse(json.dumps({"cells": [cell]}).encode()).cells
    return found


@pytest.mark.parametrize(
    "source",
    [
        SOURCE,
        SOURCE.replace("\n", "\r\n"),
        SOURCE.replace("\n", "\r"),
        SOURCE.splitlines(keepends=True),
        SOURCE.splitlines(),
        [f"{line}\r\n" for line in SOURCE.splitlines()[:-1]] + [SOURCE.splitlines()[-1]],
    ],
    ids=["text", "Windows", "Macintosh", "lines", "lines without ends", "lines of Windows"],
)
def test_a_source_is_the_same_text_however_its_lines_end(source: object) -> None:
    assert only_cell({"cell_type": "code", "source": source}).source == SOURCE


@pytest.mark.parametrize(("level", "marks"), [(1, "#"), (3, "###"), (0, "#"), (99, "######")])
def test_a_heading_of_an_old_format_is_prose(level: int, marks: str) -> None:
    cell = only_cell({"cell_type": "heading", "level": level, "source": ["What", " now"]})
    assert cell.kind == "markdown"
    assert cell.source.startswith(f"{marks} What")


@pytest.mark.parametrize(
    "cell",
    [
        {"id": "one"},
        {"id": "other", "metadata": {"nbgrader": {"grade_id": "one"}}},
        {"metadata": {"id": "one", "outputId": "2"}},
    ],
    ids=["by its id", "by nbgrader's mark", "as Colab writes it"],
)
def test_a_cell_has_one_name(cell: dict[str, Any]) -> None:
    assert only_cell({"cell_type": "code", "source": "", **cell}).name == "one"


def test_the_names_of_nbgraders_marks_are_told_from_ids() -> None:
    marks: list[Any] = [{"grade_id": "one"}, {"grade_id": 5}, {"grade_id": ""}, {}, 5]
    cells = [{"id": "two"}, *({"metadata": {"nbgrader": mark}} for mark in marks)]
    assert parse(json.dumps({"cells": cells}).encode()).marks == {"one"}
