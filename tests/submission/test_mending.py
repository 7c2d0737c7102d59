"""What tools and students do to cells costs no work: stubs hide nothing, and no answer goes unread."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.submission.notebook import Cell, Submission, read_submission, to_notebook
from tests.tiny import write_tiny_exercise

Document = dict[str, Any]

PAIR = """\
# %% task="quadruple"
START = 0


def quadruple(x):
    ### BEGIN SOLUTION
    return double(double(x))
    ### END SOLUTION


def octuple(
    x,
) -> float:
    ### BEGIN SOLUTION
    return double(quadruple(x))
    ### END SOLUTION


# %% grade="quadruple"
"""
DOUBLE = "def double(x):\n    return x + x"
QUADRUPLE = "def quadruple(x):\n    return 4 * x"
OCTUPLE = "def octuple(x):\n    return 8 * x"
BOTH = f"START = 1\n\n\n{QUADRUPLE}\n\n\n{OCTUPLE}"
FUNCTIONS = {"double", "quadruple", "octuple"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The small exercise, whose second solution cell has two functions."""
    folder = write_tiny_exercise(tmp_path_factory.mktemp("exercises") / "tiny")
    text = (folder / "notebook.py").read_text()
    start, end = text.index('# %% task="quadruple"'), text.index('# %% grade="quadruple"')
    (folder / "notebook.py").write_text(text[:start] + PAIR + text[end:].partition("\n")[2])
    settings = folder / "exercise.toml"
    settings.write_text(settings.read_text().replace('["quadruple"]', '["quadruple", "octuple"]'))
    return build(Exercise(folder))


@pytest.fixture
def document(built: Built) -> Document:
    """What a student who wrote all code and no answer hands in."""
    return handed_in(built)


def handed_in(built: Built) -> Document:
    made: Document = json.loads(nbformat.writes(built.release))
    for cell in made["cells"]:
        cell["source"] = {"double-code": DOUBLE, "quadruple-code": BOTH}.get(cell["id"], "".join(cell["source"]))
    return made


def cell(document: Document, name: str) -> Document:
    found: Document = next(cell for cell in document["cells"] if cell["id"] == name)
    return found


def place(document: Document, name: str) -> int:
    return int(document["cells"].index(cell(document, name)))


def stub(built: Built, name: str) -> str:
    return next(str(cell.source) for cell in built.release.cells if cell.id == name)


def own(source: str, kind: str = "code") -> Document:
    return {"cell_type": kind, "metadata": {}, "source": source}


def named(name: str, source: str) -> Document:
    return {**own(source), "metadata": {"nbgrader": {"grade_id": name}}}


def read(document: Document, built: Built) -> Submission:
    submission = read_submission(json.dumps(document).encode(), built.exercise, built.release)
    nbformat.validate(to_notebook(submission, built.release))
    return submission


def kinds(submission: Submission) -> list[str]:
    return [finding.kind for finding in submission.findings]


def by_name(submission: Submission, name: str) -> Cell:
    return next(cell for cell in submission.cells if cell.name == name)


def in_force(submission: Submission) -> set[str]:
    """The functions that are written, after all cells have run."""
    namespace: dict[str, Any] = {}
    with patch.dict(sys.modules, {"checks": SimpleNamespace(check=lambda name: None)}):
        for one in submission.cells:
            if one.runs:
                exec(one.code, namespace)
    return {name for name in FUNCTIONS & set(namespace) if _works(namespace[name])}


def _works(function: Callable[[float], float]) -> bool:
    try:
        return function(1.0) > 0
    except NotImplementedError:
        return False


# --- stubs ---


@pytest.mark.parametrize("name", ["double-code", "quadruple-code"])
@pytest.mark.parametrize("pasted", [named, lambda name, source: own(source)], ids=["with its name", "without"])
@pytest.mark.parametrize("where", [0, 3, 5, 99])
def test_a_stub_pasted_anywhere_beside_the_solution_is_not_run(
    document: Document, built: Built, name: str, pasted: Callable[[str, str], Document], where: int
) -> None:
    written = cell(document, name)["source"]
    document["cells"].insert(where, pasted(name, stub(built, name).replace("    ", "\t") + "\n\n"))
    submission = read(document, built)
    assert by_name(submission, name).source == written
    assert not any("NotImplementedError" in one.code for one in submission.cells if one.runs)


def test_the_first_written_of_several_counts_and_all_of_them_run_in_their_order(
    document: Document, built: Built
) -> None:
    cell(document, "double-code")["source"] = stub(built, "double-code")
    versions = [f"def double(x):\n    return {number} * x" for number in (3, 2)]
    document["cells"] += [named("double-code", source) for source in versions]
    submission = read(document, built)
    assert by_name(submission, "double-code").source == versions[0]
    assert [one.source for one in submission.cells if one.runs and "def double" in one.source] == versions
    assert {finding.message for finding in submission.findings} == {
        "the cell `double-code` is there more than once; the first that is written counts as it"
    }


def test_a_stub_that_was_left_in_its_place_does_not_hide_what_is_written_above_it(
    document: Document, built: Built
) -> None:
    cell(document, "quadruple-code")["source"] = stub(built, "quadruple-code")
    document["cells"].insert(2, own(f"{QUADRUPLE}\n\noctuple = lambda x: 8 * x"))
    submission = read(document, built)
    assert in_force(submission) == FUNCTIONS
    assert not by_name(submission, "quadruple-code").runs


def test_a_stub_of_which_one_function_is_not_written_elsewhere_runs(document: Document, built: Built) -> None:
    cell(document, "quadruple-code")["source"] = stub(built, "quadruple-code")
    document["cells"].insert(2, own(QUADRUPLE))
    assert by_name(read(document, built), "quadruple-code").runs


def test_an_older_version_below_hides_nothing_although_one_of_its_functions_is_written(
    document: Document, built: Built
) -> None:
    released = stub(built, "quadruple-code")
    unwritten = released[released.index("def quadruple") : released.index("def octuple")]
    older = released.replace(unwritten, f"{QUADRUPLE}\n\n\n")
    document["cells"].insert(place(document, "quadruple-code") + 1, named("quadruple-code", older))
    submission = read(document, built)
    assert in_force(submission) == FUNCTIONS
    assert next(one for one in submission.cells if one.source == older).code.count("\n") == older.count("\n")


def test_a_function_with_more_lines_than_its_stub_is_no_stub(document: Document, built: Built) -> None:
    longer = stub(built, "double-code") + "\n\n    return 2 * x"
    document["cells"].append(own(longer))
    assert read(document, built).cells[-1].code == longer


def test_a_function_that_the_course_gives_beside_a_stub_need_not_be_written(tmp_path: Any) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    text = (folder / "notebook.py").read_text().replace("START = 0", "def help(x):\n    return x")
    (folder / "notebook.py").write_text(text)
    with_help = build(Exercise(folder))
    document: Document = json.loads(nbformat.writes(with_help.release))
    document["cells"].insert(2, own(f"def help(x):\n    return x\n\n\n{QUADRUPLE}"))
    assert not by_name(read(document, with_help), "quadruple-code").runs


# --- cells that were split, merged and converted ---


def strip(cells: list[Document]) -> None:
    for one in cells:
        one["metadata"] = {}
        one.pop("id", None)


@pytest.mark.parametrize("stripped", [False, True])
def test_a_solution_that_was_split_in_two_is_whole(document: Document, built: Built, stripped: bool) -> None:
    original = cell(document, "quadruple-code")
    second = copy.deepcopy(original) | {"source": OCTUPLE, "id": "second"}
    original["source"] = f"START = 1\n\n\n{QUADRUPLE}"
    document["cells"].insert(document["cells"].index(original) + 1, second)
    if stripped:
        strip(document["cells"])
    submission = read(document, built)
    assert in_force(submission) == FUNCTIONS
    names = [one.name or one.source for one in submission.cells]
    assert names.index("quadruple") > names.index(OCTUPLE) or not stripped


def test_an_unwritten_solution_that_was_split_in_two_hides_nothing(document: Document, built: Built) -> None:
    released = stub(built, "quadruple-code")
    split = released.index("def octuple")
    document["cells"] += [named("quadruple-code", released[:split]), own(released[split:])]
    assert in_force(read(document, built)) == FUNCTIONS


@pytest.mark.parametrize("stripped", [False, True])
@pytest.mark.parametrize("first", ["double-code", "double"], ids=["into a solution", "into a grade cell"])
def test_a_solution_that_was_merged_into_the_cell_above_is_there(
    document: Document, built: Built, first: str, stripped: bool
) -> None:
    second = cell(document, "quadruple-code")
    document["cells"].remove(second)
    cell(document, first)["source"] += "\n\n" + second["source"]
    if stripped:
        strip(document["cells"])
    assert in_force(read(document, built)) == FUNCTIONS


def test_the_grade_cells_of_a_fresh_notebook_stand_below_the_functions(built: Built) -> None:
    fresh = {"cells": [own("import math"), own(DOUBLE), own(QUADRUPLE), own("x = 1"), own(OCTUPLE)]}
    submission = read(fresh, built)
    assert in_force(submission) == FUNCTIONS
    names = [one.name or one.source for one in submission.cells]
    assert names.index("double") == names.index("double-code") + 1
    assert names.index("quadruple") == names.index(OCTUPLE) + 1


def test_a_solution_whose_cell_became_raw_and_lost_its_name_is_code_again(document: Document, built: Built) -> None:
    strip(document["cells"])
    next(one for one in document["cells"] if one["source"] == BOTH)["cell_type"] = "raw"
    assert in_force(read(document, built)) == FUNCTIONS


cells_of_all_kinds = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from(["keep", "strip"]), st.sampled_from(["written", "stub"])), max_size=8
)


@given(cells_of_all_kinds, st.randoms(use_true_random=False))
def test_no_stub_hides_a_written_solution_however_cells_are_mixed(built: Built, copies: Any, random: Any) -> None:
    cells = handed_in(built)["cells"]
    for number, metadata, text in copies:
        made = copy.deepcopy(cells[number % len(cells)])
        if text == "stub" and made.get("id") in ("double-code", "quadruple-code"):
            made["source"] = stub(built, made["id"])
        if metadata == "strip":
            strip([made])
        cells.append(made)
    random.shuffle(cells)
    assert in_force(read({"cells": cells}, built)) == FUNCTIONS


# --- answers ---


def waits(document: Document, built: Built) -> bool:
    """Whether a person must look at the answer, although its cell is as it was released."""
    submission = read(document, built)
    answer = by_name(submission, "explain")
    assert answer.source == stub(built, "explain")
    made = next(one for one in to_notebook(submission, built.release).cells if one.id == "explain")
    assert ("checksum" not in made.metadata.nbgrader) == answer.doubtful
    return answer.doubtful


def test_an_answer_as_it_was_released_with_nothing_beside_it_waits_for_nobody(document: Document, built: Built) -> None:
    assert not waits(document, built)


@pytest.mark.parametrize("source", ["", "  \n"])
@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
def test_a_blank_cell_beside_an_answer_is_no_answer(document: Document, built: Built, source: str, kind: str) -> None:
    document["cells"].append(own(source, kind))
    assert not waits(document, built)


def test_code_of_the_students_elsewhere_is_no_answer(document: Document, built: Built) -> None:
    document["cells"].insert(3, own("print(double(2))"))
    assert not waits(document, built)


@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("blanks", [0, 2])
def test_a_cell_of_the_students_next_to_an_answer_needs_a_reader(
    document: Document, built: Built, kind: str, after: int, blanks: int
) -> None:
    made = [own("# 2 * 2 = 4", kind), *[own(" ", "markdown")] * blanks]
    at = place(document, "explain") + after
    document["cells"][at:at] = made[::-1] if after else made
    assert waits(document, built)


def test_words_of_the_students_anywhere_need_a_reader(document: Document, built: Built) -> None:
    document["cells"].insert(0, own("Two times two.", "markdown"))
    assert waits(document, built)


def test_an_answer_that_was_written_into_the_question_needs_a_reader(document: Document, built: Built) -> None:
    document["cells"][place(document, "explain") - 1]["source"] += "\n\nTwo times two."
    assert waits(document, built)


@pytest.mark.parametrize("title", ["# Why does doubling twice make four?", "# explain it: two times two"])
def test_code_that_begins_like_the_question_needs_a_reader(document: Document, built: Built, title: str) -> None:
    document["cells"].insert(2, own(f"{title}\n# two times two"))
    assert waits(document, built)


def test_an_answer_whose_cell_was_deleted_needs_a_reader_and_is_put_below_its_question(
    document: Document, built: Built
) -> None:
    document["cells"].remove(cell(document, "explain"))
    document["cells"].append(own("Two times two.", "markdown"))
    assert waits(document, built)
    assert [one.name for one in read(document, built).cells[-2:]] == ["explain", ""]


def test_an_answer_cell_of_another_type_needs_a_reader(document: Document, built: Built) -> None:
    cell(document, "explain")["cell_type"] = "code"
    assert waits(document, built)


def test_of_two_answer_cells_the_written_one_counts(document: Document, built: Built) -> None:
    document["cells"].append(copy.deepcopy(cell(document, "explain")) | {"source": "Two times two.", "id": "copy"})
    assert by_name(read(document, built), "explain").source == "Two times two."


def test_all_answers_of_a_file_that_cannot_be_read_need_a_reader(built: Built) -> None:
    submission = read_submission(b"", built.exercise, built.release)
    assert by_name(submission, "explain").doubtful
    assert not submission.is_gradable
