"""Another notebook is told from the right one in a bad state."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest

from autograder.exercise.built import Built
from autograder.submission.notebook import Submission, read_submission
from autograder.submission.samples import solved
from tests.nbgrader_course import BLOCK, CONNECTIONS
from tests.places import REPOSITORY

NORMALIZATION = "layer-normalization"


def read(document: Any, built: Built) -> Submission:
    return read_submission(json.dumps(document).encode(), built.exercise, built.release)


def own(source: str, **values: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, **values}


def without_metadata(document: Any) -> Any:
    for number, cell in enumerate(document["cells"]):
        cell |= {"id": f"c{number}", "metadata": {}}
    return document


def released(slug: str) -> Any:
    return json.loads((REPOSITORY / "assignments" / slug / f"{slug}.ipynb").read_text())


def is_foreign(submission: Submission) -> bool:
    told = [(finding.kind, finding.message) for finding in submission.findings]
    foreign = [("foreign", "none of this assignment's cells is in the file; is it another notebook?")]
    assert (told == foreign) == (not submission.is_gradable)
    return told == foreign


@pytest.mark.parametrize(
    "document",
    [
        {"cells": []},
        {"cells": [own("")]},
        {"cells": [own("import numpy as np"), own("x = 1", id="code-1"), own("YOUR ANSWER HERE")]},
        {"cells": [own("import numpy as np\nfrom checks import check", id="setup")]},
        {"cells": [own("x", metadata={"nbgrader": {"grade_id": "other"}}), own('check("other")')]},
    ],
    ids=["no cells", "a blank cell", "other work", "the setup alone", "another assignment"],
)
def test_a_file_that_has_nothing_of_the_assignment_is_foreign(document: Any, tiny_built: Built) -> None:
    assert is_foreign(read(document, tiny_built))


@pytest.mark.parametrize("other", [BLOCK, NORMALIZATION])
@pytest.mark.parametrize("strip", [False, True])
def test_a_notebook_of_another_exercise_is_foreign_although_some_names_are_the_same(
    connections: Built, other: str, strip: bool
) -> None:
    document = released(other)
    assert is_foreign(read(without_metadata(document) if strip else document, connections))


def test_what_a_foreign_file_holds_is_shown(tiny_built: Built) -> None:
    submission = read({"cells": [own("other = 1")]}, tiny_built)
    assert "other = 1" in [cell.source for cell in submission.cells]


@pytest.mark.parametrize("slug", [CONNECTIONS])
def test_the_released_notebook_is_not_foreign_whatever_a_tool_has_stripped(connections: Built, slug: str) -> None:
    assert not is_foreign(read(without_metadata(released(slug)), connections))


def test_work_without_any_name_is_not_foreign(connections: Built) -> None:
    document = json.loads(nbformat.writes(solved(connections)))
    code = [cell for cell in document["cells"] if "def " in "".join(cell["source"])]
    assert not is_foreign(read(without_metadata({"cells": code}), connections))


@pytest.mark.parametrize("source", ["def double(x):\n    return x", "double = lambda x: x", "double: object = abs"])
def test_a_fresh_notebook_with_one_of_the_functions_is_not_foreign(tiny_built: Built, source: str) -> None:
    assert not is_foreign(read({"cells": [own(source)]}, tiny_built))


def test_work_in_the_file_of_another_assignment_counts_where_half_of_the_functions_are_there(
    tiny_built: Built,
) -> None:
    others = [own("x", metadata={"nbgrader": {"grade_id": f"other-{number}"}}) for number in range(3)]
    assert not is_foreign(read({"cells": [*others, own("def double(x):\n    return x")]}, tiny_built))


@pytest.mark.parametrize("name", ["double", "double-code", "explain"])
def test_one_cell_of_the_assignment_is_enough(tiny_built: Built, name: str) -> None:
    assert not is_foreign(read({"cells": [own("", id=name)]}, tiny_built))


def test_one_paragraph_of_the_assignment_is_enough(tiny_built: Built) -> None:
    assert not is_foreign(read({"cells": [own("# Twice  and twice again\n", cell_type="markdown")]}, tiny_built))
