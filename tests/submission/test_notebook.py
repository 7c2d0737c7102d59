"""Any file that is handed in becomes the released notebook with the student's work in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.exercise.built import Built
from autograder.submission import document as document_module
from autograder.submission.notebook import Cell, Role, Submission, read_submission, to_notebook
from autograder.submission.samples import solved

Document = dict[str, Any]

RELEASED = ["setup", "double-code", "double", "quadruple-code", "quadruple", "explain"]
SOLUTIONS = {
    "double-code": "def double(x):\n    return x + x",
    "quadruple-code": "START = 0\n\n\ndef quadruple(x):\n    return 4 * x",
    "explain": "Two times two.",
}


@pytest.fixture
def document(tiny_built: Built) -> Document:
    """What a student who solved everything hands in."""
    return handed_in(tiny_built)


def handed_in(built: Built) -> Document:
    made: Document = json.loads(nbformat.writes(solved(built)))
    for cell in made["cells"]:
        cell["source"] = SOLUTIONS.get(cell["id"], "".join(cell["source"]))
    return made


def cell(document: Document, name: str) -> Document:
    found: Document = next(cell for cell in document["cells"] if cell["id"] == name)
    return found


def own(source: str, **values: Any) -> Document:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, **values}


def read(document: object, built: Built) -> Submission:
    return read_bytes(json.dumps(document).encode(), built)


def read_bytes(raw: bytes, built: Built) -> Submission:
    """Read a file; whatever it holds, the result must be a whole notebook."""
    submission = read_submission(raw, built.exercise, built.release)
    check_whole(submission, built)
    return submission


def check_whole(submission: Submission, built: Built) -> None:
    made = to_notebook(submission, built.release)
    nbformat.validate(made)
    assert (made.nbformat, made.nbformat_minor) == (4, 5)
    assert made.metadata == built.release.metadata
    assert sorted(one.id for one in made.cells if "nbgrader" in one.metadata) == sorted(RELEASED)
    assert len({one.id for one in made.cells}) == len(made.cells)
    released = {one.id: one for one in nbformat.from_dict(built.release).cells}
    for doubtful in (cell for cell in submission.cells if cell.doubtful):
        del released[doubtful.name].metadata.nbgrader["checksum"]
    for one in made.cells:
        if one.id in RELEASED:
            assert one.metadata == released[one.id].metadata
            assert one.cell_type == released[one.id].cell_type
            assert one.id in SOLUTIONS or one.source == released[one.id].source
    json.dumps([finding.message for finding in submission.findings], ensure_ascii=False).encode()
    nbformat.writes(made).encode()


def kinds(submission: Submission) -> list[str]:
    return [finding.kind for finding in submission.findings]


def run_sources(submission: Submission) -> list[str]:
    return [one.source for one in submission.cells if one.runs]


def by_name(submission: Submission) -> dict[str, Cell]:
    return {one.name: one for one in submission.cells if one.name}


def text_of(submission: Submission) -> str:
    return "\n".join(one.source for one in submission.cells)


# --- files that are only odd ---


def without_ids(document: Document) -> None:
    document["nbformat_minor"] = 4
    for one in document["cells"]:
        del one["id"]


def from_colab(document: Document) -> None:
    document["metadata"] = {"colab": {"provenance": [], "name": "copy"}, "accelerator": "GPU"}
    document["nbformat_minor"] = 0
    for number, one in enumerate(document["cells"]):
        one["id"] = f"x{number}Yz"
        one["metadata"] |= {"id": one["id"], "outputId": "1234", "colab": {"base_uri": "https://localhost"}}


def with_stale_outputs(document: Document) -> None:
    for one in document["cells"]:
        if one["cell_type"] == "code":
            one["execution_count"] = 7
            one["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "4"}, "metadata": {}}]


def with_lists_of_lines(document: Document) -> None:
    for one in document["cells"]:
        one["source"] = one["source"].splitlines(keepends=True)


def without_cell_metadata(document: Document) -> None:
    for one in document["cells"]:
        del one["metadata"]


def with_old_cell_metadata(document: Document) -> None:
    for one in document["cells"]:
        if marks := one["metadata"].get("nbgrader"):
            marks["schema_version"] = 99
            marks.pop("cell_type")
            marks.pop("task")


ODD: list[Callable[[Document], object]] = [
    without_ids,
    from_colab,
    with_stale_outputs,
    with_lists_of_lines,
    without_cell_metadata,
    with_old_cell_metadata,
    lambda document: document.update(nbformat_minor=99),
    lambda document: document.update(metadata={"kernelspec": {"name": "julia-1.9", "language": "julia"}}),
    lambda document: document.update(metadata="lost"),
    lambda document: document.pop("metadata"),
    lambda document: document.pop("nbformat"),
    lambda document: document["cells"].append("not a cell"),
]
ODD_IDS = [
    "no ids",
    "Colab",
    "stale outputs",
    "lists of lines",
    "no cell metadata",
    "other schema",
    "newer format",
    "unknown kernel",
    "odd metadata",
    "no metadata",
    "no format",
    "a string among the cells",
]


@pytest.mark.parametrize("change", ODD, ids=ODD_IDS)
def test_an_odd_file_is_read_as_if_nothing_was_odd(
    document: Document, tiny_built: Built, change: Callable[[Document], object]
) -> None:
    usual = read(document, tiny_built)
    assert usual.findings == ()
    assert by_name(usual)["double-code"].source == SOLUTIONS["double-code"]
    changed = copy.deepcopy(document)
    change(changed)
    assert changed != document
    assert read(changed, tiny_built) == usual


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: raw.decode().encode("utf-16"),
        lambda raw: raw.decode().encode("utf-16-le"),
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw.replace(b"\\n", b"\\r\\n"),
        lambda raw: raw.replace(b"\\n", b"\\r"),
        lambda raw: b"\n\n " + raw + b"\n\n",
    ],
    ids=[
        "BOM",
        "UTF-16",
        "UTF-16 without BOM",
        "CRLF in the file",
        "CRLF in the cells",
        "CR in the cells",
        "white space",
    ],
)
def test_line_ends_and_byte_order_marks_change_nothing(
    document: Document, tiny_built: Built, rewrite: Callable[[bytes], bytes]
) -> None:
    raw = json.dumps(document, indent=1).encode()
    assert rewrite(raw) != raw
    assert read_bytes(rewrite(raw), tiny_built) == read_bytes(raw, tiny_built)


def test_the_cells_of_a_solved_notebook_have_their_roles(document: Document, tiny_built: Built) -> None:
    cells = read(document, tiny_built).cells
    assert [(one.name, one.role, one.runs) for one in cells] == [
        ("", Role.OWN, False),
        ("setup", Role.GIVEN, True),
        ("double-code", Role.SOLUTION, True),
        ("double", Role.GRADE, False),
        ("", Role.OWN, True),
        ("quadruple-code", Role.SOLUTION, True),
        ("quadruple", Role.GRADE, False),
        ("", Role.OWN, False),
        ("explain", Role.SOLUTION, False),
    ]


def graded_part(submission: Submission) -> tuple[list[str], dict[str, Cell]]:
    return run_sources(submission), by_name(submission)


def as_version_3(document: Document) -> Document:
    joined = nbformat.from_dict(document)
    old: Document = json.loads(nbformat.v3.writes_json(nbformat.convert(joined, 3)))
    return old


def test_a_notebook_of_format_3_is_read_and_noted(document: Document, tiny_built: Built) -> None:
    old = as_version_3(document)
    assert old["nbformat"] == 3
    submission = read(old, tiny_built)
    assert kinds(submission) == ["upgraded"]
    assert graded_part(submission) == graded_part(read(document, tiny_built))


@pytest.mark.parametrize(
    "output",
    [
        {"output_type": "stream", "stream": "stdout", "text": ["a\n", "b"]},
        {"output_type": "pyout", "prompt_number": 1, "text": ["4"], "metadata": {}},
        {"output_type": "pyout", "prompt_number": 1, "json": ["{}"], "metadata": {}},
        {"output_type": "pyerr", "ename": "E", "evalue": "", "traceback": ["a", "b"]},
        {"output_type": "display_data", "png": ["aaaa\n", "bbbb"], "metadata": {}},
        {"output_type": "display_data", "json": "{", "metadata": {}},
        {"output_type": "unheard of"},
        {},
    ],
    ids=["stream", "result", "json", "error", "figure", "broken json", "unknown", "empty"],
)
def test_old_outputs_never_keep_a_notebook_from_being_read(
    document: Document, tiny_built: Built, output: Document
) -> None:
    old = as_version_3(document)
    for one in old["worksheets"][0]["cells"]:
        if one["cell_type"] == "code":
            one["outputs"] = [output]
    submission = read(old, tiny_built)
    assert kinds(submission) == ["upgraded"]
    assert graded_part(submission) == graded_part(read(document, tiny_built))


# --- files that are no notebook ---


UNREADABLE = [
    b"",
    b" ",
    b"null",
    b"[]",
    b"{}",
    b'"text"',
    b"not JSON",
    b'{"cells": [',
    b"\xff\xfe{",
    b"\x80\x81",
    b"PK\x03\x04",
    "{}".encode("utf-16"),
    b'{"cells": {}}',
    b'{"cells": null}',
    b'{"cells": "text"}',
    b'{"cells": [' + b"9" * 5000 + b"]}",
    b"[" * 100_000,
    b'{"cells":' * 50_000,
    b'{"cells": [' + b"{}," * 2000 + b"{}]}",
]


@pytest.mark.parametrize("raw", UNREADABLE, ids=lambda raw: repr(raw[:20]))
def test_an_unreadable_file_is_the_release_with_nothing_of_the_student_run(raw: bytes, tiny_built: Built) -> None:
    submission = read_bytes(raw, tiny_built)
    assert kinds(submission) == ["unreadable"]
    assert [one.name for one in submission.cells] == RELEASED
    assert [one.name for one in submission.cells if one.runs] == ["setup"]


def test_a_file_of_more_than_the_largest_size_is_not_parsed(
    tiny_built: Built, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_module, "MAX_BYTES", 1 << 20)
    raw = json.dumps(document).encode()
    assert kinds(read_bytes(raw.ljust(1 << 20), tiny_built)) == []
    assert kinds(read_bytes(raw.ljust((1 << 20) + 1), tiny_built)) == ["unreadable"]


def test_two_thousand_cells_are_not_too_many(tiny_built: Built, document: Document) -> None:
    document["cells"] += [own("1")] * (2000 - len(document["cells"]))
    assert kinds(read(document, tiny_built)) == []


@pytest.mark.parametrize(
    "old",
    [
        {"nbformat": 3},
        {"nbformat": 3, "worksheets": 5},
        {"nbformat": 3, "worksheets": [{}]},
        {"nbformat": 3, "worksheets": [{"cells": [5]}]},
        {"nbformat": 3, "metadata": 5, "worksheets": []},
        {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [{"cell_type": "code"}]}]},
        {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [{"cell_type": "code", "input": 5, "outputs": 5}]}]},
        {"nbformat": 3.0, "worksheets": []},
        {"nbformat": 2},
        {"nbformat": 2, "worksheets": [{"cells": [{"cell_type": "code", "input": "x", "outputs": 5}]}]},
        {"nbformat": 1},
        {"nbformat": 1, "cells": [{}]},
        {"nbformat": True},
        {"nbformat": -1},
        {"nbformat": {}},
    ],
    ids=json.dumps,
)
def test_a_broken_file_of_an_old_format_is_a_finding_and_no_exception(old: Document, tiny_built: Built) -> None:
    submission = read(old, tiny_built)
    assert kinds(submission) != []
    assert by_name(submission)["setup"].source in run_sources(submission)
    assert not any("NotImplementedError" in source for source in run_sources(submission))


# --- cells that were changed, copied, moved or deleted ---


@pytest.mark.parametrize("name", RELEASED)
def test_a_deleted_cell_is_put_back_where_it_was(document: Document, tiny_built: Built, name: str) -> None:
    document["cells"].remove(cell(document, name))
    submission = read(document, tiny_built)
    assert kinds(submission) == ["deleted"]
    assert f"`{name}`" in submission.findings[0].message
    assert [one.name for one in submission.cells if one.name] == RELEASED
    assert by_name(submission)[name].runs == (name == "setup")


def test_a_put_back_stub_does_not_hide_the_function_written_elsewhere(document: Document, tiny_built: Built) -> None:
    source = "def double(x):\n    return 2.0 * x"
    cell(document, "double-code").update(own("# my work is below"), id="mine")
    document["cells"].append(own(f"HELP = 1\n\n{source}", id="below"))
    submission = read(document, tiny_built)
    assert f"HELP = 1\n\n{source}" in run_sources(submission)
    assert not any("NotImplementedError" in source for source in run_sources(submission))


def test_where_every_released_cell_is_deleted_all_are_put_back_in_order(tiny_built: Built) -> None:
    title = {"cell_type": "markdown", "source": tiny_built.release.cells[0].source}
    submission = read({"nbformat": 4, "cells": [title, own("x = 1")]}, tiny_built)
    assert [one.name for one in submission.cells] == [*RELEASED, "", ""]
    assert kinds(submission) == ["deleted"] * len(RELEASED)
    assert run_sources(submission) == [by_name(submission)["setup"].source, "x = 1"]


@pytest.mark.parametrize("name", ["setup", "double", "quadruple"])
@pytest.mark.parametrize("source", ["4", "", "raise SystemExit", 'check("double"); import os; os._exit(0)'])
def test_an_edited_cell_of_the_courses_is_the_courses_again(
    document: Document, tiny_built: Built, name: str, source: str
) -> None:
    cell(document, name)["source"] = source
    submission = read(document, tiny_built)
    assert kinds(submission) == ["edited"]
    assert f"`{name}`" in submission.findings[0].message
    assert source == "" or source not in run_sources(submission)


def test_white_space_around_a_given_cell_is_no_edit(document: Document, tiny_built: Built) -> None:
    cell(document, "setup")["source"] += "\n\n"
    assert read(document, tiny_built).findings == ()


@pytest.mark.parametrize(
    "points", [4, None, 5, 0, -1, "many", True, [], {}, float("nan"), float("inf"), 10**400], ids=repr
)
@pytest.mark.parametrize("name", ["double", "explain"])
def test_points_in_the_file_do_not_count_and_are_no_finding(
    document: Document, tiny_built: Built, name: str, points: object
) -> None:
    cell(document, name)["metadata"]["nbgrader"]["points"] = points
    submission = read(document, tiny_built)
    assert submission.findings == ()
    assert by_name(submission)[name].points == {"double": 4, "explain": 2}[name]


def test_where_the_file_has_names_of_another_release_a_lacking_cell_is_not_laid_to_the_student(
    document: Document, tiny_built: Built
) -> None:
    older = cell(document, "double")
    older["source"] = 'check("twofold")'
    older["metadata"]["nbgrader"]["grade_id"] = "twofold"
    (finding,) = read(document, tiny_built).findings
    assert finding.message.startswith("the cell `double` is missing, perhaps as the file is of another release; ")


@pytest.mark.parametrize("name", RELEASED)
def test_of_two_copies_the_first_counts(document: Document, tiny_built: Built, name: str) -> None:
    original = cell(document, name)
    document["cells"].insert(document["cells"].index(original) + 1, copy.deepcopy(original))
    submission = read(document, tiny_built)
    assert kinds(submission) == ["duplicated"]
    assert f"`{name}`" in submission.findings[0].message
    assert [one.name for one in submission.cells if one.name] == RELEASED


def test_code_in_the_copy_of_a_solution_cell_is_run_too(document: Document, tiny_built: Built) -> None:
    original = cell(document, "double-code")
    changed = copy.deepcopy(original) | {"source": "def double(x):\n    return 2 * x"}
    document["cells"].insert(document["cells"].index(original) + 1, changed)
    sources = run_sources(read(document, tiny_built))
    assert sources.index(changed["source"]) == sources.index(original["source"]) + 1


def test_code_that_is_no_copy_is_run_although_it_bears_the_name_of_a_given_cell(
    document: Document, tiny_built: Built
) -> None:
    """Copying a cell and writing over the copy keeps the name of the original."""
    original = cell(document, "setup")
    document["cells"].insert(2, copy.deepcopy(original) | {"source": "def helper(x):\n    return 2 * x"})
    assert "def helper(x):\n    return 2 * x" in run_sources(read(document, tiny_built))


def test_moved_cells_stay_where_the_student_put_them(document: Document, tiny_built: Built) -> None:
    document["cells"].reverse()
    submission = read(document, tiny_built)
    assert [one.name for one in submission.cells if one.name] == RELEASED[::-1]
    assert by_name(submission)["double-code"].source == SOLUTIONS["double-code"]
    assert set(kinds(submission)) <= {"moved"}


def test_a_students_own_cell_with_the_id_of_a_solution_cell_is_run(document: Document, tiny_built: Built) -> None:
    document["cells"].insert(0, own("y = 1", id="double-code"))
    submission = read(document, tiny_built)
    assert "y = 1" in run_sources(submission)
    assert SOLUTIONS["double-code"] in run_sources(submission)


@pytest.mark.parametrize("name", ["explain", "double-code"])
@pytest.mark.parametrize("kind", ["raw", "code", "markdown", "heading", None, 5])
def test_work_in_a_solution_cell_of_another_type_is_not_lost(
    document: Document, tiny_built: Built, name: str, kind: object
) -> None:
    cell(document, name)["cell_type"] = kind
    assert SOLUTIONS[name] in text_of(read(document, tiny_built))


def test_stripped_metadata_is_made_up_for_by_the_ids(document: Document, tiny_built: Built) -> None:
    usual = read(document, tiny_built)
    for one in document["cells"]:
        one["metadata"] = {}
    assert read(document, tiny_built) == usual


def test_without_metadata_and_ids_cells_are_known_by_their_text(document: Document, tiny_built: Built) -> None:
    """A free-text answer cannot be told from other text; it is kept, and a person will see it."""
    usual = read(document, tiny_built)
    without_ids(document)
    for one in document["cells"]:
        one["metadata"] = {}
    submission = read(document, tiny_built)
    assert run_sources(submission) == run_sources(usual)
    assert [one.name for one in submission.cells if one.name] == RELEASED
    assert by_name(submission)["quadruple-code"].source == SOLUTIONS["quadruple-code"]
    assert [finding.message.split("`")[1] for finding in submission.findings] == ["explain"]
    assert SOLUTIONS["explain"] in text_of(submission)


@pytest.mark.parametrize("marks", [5, [], "text", {"grade_id": 5}, {"grade_id": None}, {"grade_id": {"a": 1}}, {}])
def test_ill_formed_nbgrader_metadata_is_ignored(document: Document, tiny_built: Built, marks: object) -> None:
    usual = read(document, tiny_built)
    cell(document, "double-code")["metadata"]["nbgrader"] = marks
    assert read(document, tiny_built) == usual


def test_a_lone_surrogate_becomes_a_question_mark(document: Document, tiny_built: Built) -> None:
    cell(document, "double-code")["source"] = "def double(x):\n    return x + x  # \ud800"
    cell(document, "double")["metadata"]["nbgrader"]["grade_id"] = "\ud800"
    document["cells"].append(own("'\udfff'", id="\ud800", metadata={"\ud800": 1}))
    submission = read(document, tiny_built)
    assert by_name(submission)["double-code"].source.endswith("# ?")
    assert submission.cells[-1].source == "'?'"


@pytest.mark.parametrize("source", [5, None, {}, ["x = 1\n", 5, "y = 2"], [["x"]], True], ids=repr)
def test_an_ill_formed_source_is_text_as_far_as_it_goes(document: Document, tiny_built: Built, source: object) -> None:
    cell(document, "double-code")["source"] = source
    expected = "x = 1\ny = 2" if isinstance(source, list) and len(source) == 3 else ""
    assert by_name(read(document, tiny_built))["double-code"].source == expected


def test_deeply_nested_metadata_and_outputs_do_not_matter(document: Document, tiny_built: Built) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    usual = read(document, tiny_built)
    cell(document, "double-code")["metadata"]["deep"] = deep
    cell(document, "double-code")["outputs"] = deep
    assert read(document, tiny_built) == usual


def test_to_notebook_leaves_the_release_alone(document: Document, tiny_built: Built) -> None:
    release = nbformat.from_dict(tiny_built.release)
    made = to_notebook(read(document, tiny_built), release)
    for one in made.cells:
        one.metadata["changed"] = True
        if "nbgrader" in one.metadata:
            one.metadata.nbgrader.points = 1000
    made.metadata.kernelspec.name = "other"
    assert release == tiny_built.release


# --- anything at all ---

Cells = list[Document]
names = st.sampled_from([*RELEASED, "text-1", "code-1", "own-0", "summary", "", "x y"])
sources = st.sampled_from(
    ["", "x = 1", "def double(x):\n    return x", 'check("double")', "4", "\ud800", "import os\r\n"]
)


def insert(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells.insert(place, own(source, id=name))


def copy_to(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells.insert(other, copy.deepcopy(cells[place % len(cells)]))


def move(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells.insert(other, cells.pop(place % len(cells)))


def delete(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells.pop(place % len(cells))


def strip(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells[place % len(cells)]["metadata"] = {}


def strip_id(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells[place % len(cells)].pop("id", None)


def rename(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells[place % len(cells)]["id"] = name


def rewrite(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells[place % len(cells)]["source"] = source


def change_points(cells: Cells, place: int, other: int, source: str, name: str) -> None:
    cells[place % len(cells)]["metadata"].get("nbgrader", {})["points"] = other


edits = st.tuples(
    st.sampled_from([insert, copy_to, move, delete, strip, strip_id, rename, rewrite, change_points]),
    st.integers(0, 12),
    st.integers(0, 12),
    sources,
    names,
)


@pytest.fixture(scope="session")
def reading(tiny_built: Built) -> Callable[[bytes], Submission]:
    """`read_bytes` for the small exercise; a failing example does not show the whole exercise then."""
    return lambda raw: read_bytes(raw, tiny_built)


@pytest.fixture(scope="session")
def handing_in(tiny_built: Built) -> Callable[[], Document]:
    return lambda: handed_in(tiny_built)


@given(st.lists(edits, max_size=8))
def test_whatever_is_done_to_cells_the_notebook_is_whole_and_the_students_code_runs(
    reading: Callable[[bytes], Submission], handing_in: Callable[[], Document], changes: list[Any]
) -> None:
    document = handing_in()
    course = {one["source"] for one in document["cells"] if one["id"] in ("setup", "double", "quadruple")}
    for edit, *arguments in changes:
        edit(document["cells"], *arguments)
    sources = run_sources(reading(json.dumps(document).encode()))
    for one in document["cells"]:
        name = one["metadata"].get("nbgrader", {}).get("grade_id") or one.get("id", "")
        text = one["source"].replace("\r\n", "\n").replace("\ud800", "?")
        if one["cell_type"] == "code" and name not in ("setup", "double", "quadruple", "explain"):
            assert text in sources or text in course


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.text(max_size=5) | names | sources,
    lambda value: (
        st.lists(value, max_size=4)
        | st.dictionaries(st.text(max_size=3), value, max_size=3)
        | st.fixed_dictionaries(
            {},
            optional={
                "cell_type": st.sampled_from(["code", "markdown", "raw", "heading", 5]),
                "id": names | value,
                "source": sources | value,
                "input": sources | value,
                "outputs": value,
                "metadata": st.fixed_dictionaries({"nbgrader": value}) | value,
                "grade_id": names | value,
                "points": value,
            },
        )
    ),
    max_leaves=20,
)
documents = st.fixed_dictionaries(
    {"nbformat": st.integers(1, 5) | json_values},
    optional={
        "cells": st.lists(json_values, max_size=5) | json_values,
        "worksheets": st.lists(st.fixed_dictionaries({"cells": json_values}) | json_values, max_size=3) | json_values,
        "metadata": st.just({}) | json_values,
    },
)


@given(documents | json_values)
def test_any_json_makes_a_whole_notebook(reading: Callable[[bytes], Submission], value: object) -> None:
    reading(json.dumps(value).encode())


@given(st.binary())
@example(b"\xef\xbb\xbf")
@example(b'{"cells": [{"metadata": {"nbgrader": {"grade_id": NaN}}, "source": Infinity}]}')
def test_any_bytes_make_a_whole_notebook(reading: Callable[[bytes], Submission], raw: bytes) -> None:
    reading(raw)
