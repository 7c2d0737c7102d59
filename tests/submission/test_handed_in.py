"""What a student has handed in is told in one look, and what cannot be graded is a sentence and no exception."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.submission.handed_in import HandedIn, handed_in, laid_beside, name_fault
from tests.odd_folders import ENTRIES, TIMESTAMPS, make_odd

pytestmark = pytest.mark.usefixtures("removed")


def look(folder: Path) -> HandedIn:
    return handed_in(folder, folder.parent, ["tiny"])


def test_the_notebook_of_the_right_name_is_found_among_others(tmp_path: Path) -> None:
    for name in ("tiny.ipynb", "other.ipynb", "tiny (1).ipynb"):
        (tmp_path / name).write_text(name)
    found = look(tmp_path)
    assert (found.notebooks, found.findings, found.refused) == ({"tiny": "tiny.ipynb"}, (), "")
    assert found.contents().notebooks == {"tiny": b"tiny.ipynb"}


def test_the_only_notebook_is_taken_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "tiny (1).ipynb").touch()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "tiny.ipynb").mkdir()
    (tmp_path / ".ipynb_checkpoints").mkdir()
    found = look(tmp_path)
    (finding,) = found.findings
    assert found.notebooks == {"tiny": "tiny (1).ipynb"}
    assert (finding.kind, "tiny (1).ipynb" in finding.message) == ("renamed", True)


def test_of_two_other_notebooks_none_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").touch()
    (tmp_path / "b.ipynb").touch()
    assert "a.ipynb, b.ipynb" in look(tmp_path).refused


@pytest.mark.parametrize("make_directory", [False, True], ids=["an empty folder", "a folder called tiny.ipynb"])
def test_where_there_is_no_notebook_that_is_said(tmp_path: Path, make_directory: bool) -> None:
    if make_directory:
        (tmp_path / "tiny.ipynb").mkdir()
    assert look(tmp_path).refused == "no tiny.ipynb was handed in"


@pytest.mark.parametrize("name", ["tiny/tiny.ipynb", "tiny.ipynb.txt", "tiny.ipynb.zip", "a/b/Tiny.IPYNB", "Work.ZIP"])
def test_a_notebook_in_a_wrong_place_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("{}")
    assert f"there is {name}: unpack, rename or move it" in look(tmp_path).refused


def test_a_name_in_capitals_is_another_name_of_the_only_notebook(tmp_path: Path) -> None:
    (tmp_path / "TINY.IPYNB").write_text("{}")
    found = look(tmp_path)
    assert (found.notebooks, [one.kind for one in found.findings]) == ({"tiny": "TINY.IPYNB"}, ["renamed"])


def test_a_second_notebook_that_only_capitals_tell_apart_is_a_finding(tmp_path: Path) -> None:
    """The right name decides, but the student may have meant the other."""
    for name in ("tiny.ipynb", "TINY.IPYNB", "Tiny.ipynb"):
        (tmp_path / name).write_text("{}")
    found = look(tmp_path)
    assert (found.notebooks, found.refused) == ({"tiny": "tiny.ipynb"}, "")
    assert [(finding.kind, finding.message) for finding in found.findings] == [
        ("ignored", "TINY.IPYNB was not graded: tiny.ipynb is the right name"),
        ("ignored", "Tiny.ipynb was not graded: tiny.ipynb is the right name"),
    ]


def test_a_link_in_the_place_of_the_folder_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tiny").symlink_to("elsewhere")
    assert "it is a symbolic link; put the folder itself there" in look(tmp_path / "tiny").refused


def test_a_file_that_the_system_hides_is_not_meant(tmp_path: Path) -> None:
    """macOS puts such a one beside each file in an archive."""
    (tmp_path / "mine.ipynb").touch()
    (tmp_path / "._mine.ipynb").touch()
    assert look(tmp_path).notebooks == {"tiny": "mine.ipynb"}


@pytest.mark.parametrize("names", [[b"\xff.ipynb"], [b"\xff.ipynb", b"\xfe.ipynb"]], ids=["one", "two"])
def test_a_file_name_that_is_no_text_can_still_be_reported(tmp_path: Path, names: list[bytes]) -> None:
    for name in names:
        (tmp_path / Path(name.decode("utf-8", "surrogateescape"))).touch()
    found = look(tmp_path)
    told = found.refused or found.findings[0].message
    assert ".ipynb" in told.encode().decode()


def test_a_link_is_not_the_notebook(tmp_path: Path) -> None:
    """Archives and repositories hold links, too: to somebody else's notebook, or to the solution."""
    (tmp_path / "solution.ipynb").write_text("{}")
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for name in ("tiny.ipynb", "other.ipynb"):
        (folder / name).symlink_to(tmp_path / "solution.ipynb")
        assert "symbolic link" in look(folder).refused
        (folder / name).unlink()


@pytest.mark.parametrize("kind", [kind for kind in ENTRIES if kind.startswith(("a sparse", "3,000"))])
def test_what_lies_beside_the_notebook_and_is_too_large_is_a_finding(kind: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.ipynb").write_text("{}")
    ENTRIES[kind](tmp_path, random.Random(0))
    found = look(tmp_path)
    assert (found.refused, found.notebooks) == ("", {"tiny": "tiny.ipynb"})
    assert [finding.kind for finding in found.findings] == ["ignored"]


def test_more_files_than_are_looked_at_are_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "tiny.ipynb").write_text("{}")
    ENTRIES["many files"](tmp_path, random.Random(0))
    assert "more than 1000 files" in look(tmp_path).refused


@pytest.mark.parametrize(
    ("timestamp", "moment"),
    [
        ("no timestamp", None),
        ("UTF-16", datetime(2026, 3, 2, 10)),
        ("a date", datetime(2026, 3, 2, 10)),
    ],
)
def test_the_moment_is_read(timestamp: str, moment: datetime | None, tmp_path: Path) -> None:
    (tmp_path / "tiny.ipynb").write_text("{}")
    TIMESTAMPS[timestamp](tmp_path, random.Random(0))
    found = look(tmp_path)
    assert (found.refused, found.moment) == ("", moment)


@pytest.mark.parametrize("timestamp", ["a folder", "20 MB of digits", "another zone"])
def test_a_moment_that_cannot_be_told_is_a_refusal_that_names_the_file(timestamp: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.ipynb").write_text("{}")
    TIMESTAMPS[timestamp](tmp_path, random.Random(0))
    assert look(tmp_path).refused.startswith("timestamp.txt: ")


FOLDERS = [*range(60, 75), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(75, 120))]


@pytest.mark.broad
@pytest.mark.parametrize("seed", FOLDERS)
def test_no_folder_raises(seed: int, tmp_path: Path, within: Callable[[float], None]) -> None:
    within(20)
    folder = tmp_path / "student" / "tiny"
    make_odd(folder, seed)
    if folder.is_dir() and not folder.is_symlink() and not os.path.lexists(folder / "tiny.ipynb"):
        (folder / "tiny.ipynb").write_text("{}")
    found = handed_in(folder, tmp_path, ["tiny"])
    assert bool(found.refused) != bool(found.notebooks)
    assert found.refused.encode().decode().splitlines() == [found.refused] * bool(found.refused)


@given(st.text(max_size=80))
def test_a_name_is_fit_or_the_fault_says_what_to_do(name: str) -> None:
    fault = name_fault(name)
    if not fault:
        assert len(f"{name}.json".encode()) <= 255
        assert "\n" not in name
        assert not set(name) & set("[]*?{}/")
        assert name not in (".", "..")
    else:
        assert fault.endswith("rename it") or fault.endswith("rename the folder")


@pytest.mark.parametrize("name", ["ada", "O'Neil, Jr.", "Łukasz", "a.b@c.edu", "x" * 200, "数学"])
def test_names_of_people_are_fit(name: str) -> None:
    assert name_fault(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "x" * 250,
        os.fsdecode(b"\xff"),
        "a\nb",
        "br[1]",
        "a\u202eb",
        " a",
        "\x1b[2J",
        "",
        ".",
        "..",
        "a/b",
        "/",
        "../ada",
    ],
)
def test_names_that_something_on_the_way_cannot_hold_are_not(name: str) -> None:
    assert name_fault(name)


def test_of_several_notebooks_those_of_the_right_names_are_taken(tmp_path: Path) -> None:
    for name in ("first.ipynb", "third.ipynb", "other.ipynb"):
        (tmp_path / name).write_text(name)
    found = handed_in(tmp_path, tmp_path.parent, ["first", "second", "third"])
    assert (found.notebooks, found.refused) == ({"first": "first.ipynb", "third": "third.ipynb"}, "")


@pytest.mark.parametrize("names", [["other.ipynb"], ["first.ipynb", "second.ipynb"]])
def test_of_several_notebooks_one_must_be_there_and_none_too_large(names: list[str], tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).touch()
    os.truncate(tmp_path / names[-1], 300 << 20)
    found = handed_in(tmp_path, tmp_path.parent, ["first", "second"])
    assert (found.notebooks, bool(found.refused)) == ({}, True)


def test_where_none_of_several_notebooks_is_there_the_other_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "hw1.ipynb").write_text("{}")
    refused = handed_in(tmp_path, tmp_path.parent, ["first", "second"]).refused
    assert refused == "none of first.ipynb, second.ipynb was handed in; there is hw1.ipynb: unpack, rename or move it"


def test_files_beside_the_notebook_are_read_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "tiny.ipynb").touch()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "points.csv").write_bytes(b"\x00\xff")
    found = look(tmp_path)
    assert found.contents(["data/points.csv"]).files == {"data/points.csv": b"\x00\xff"}
    assert laid_beside(found.files, ["data"], []) == []
    assert laid_beside(found.files, [], []) == ["data/points.csv"]


def test_no_file_of_a_students_stands_in_the_way_of_one_of_the_courses() -> None:
    files = ["a.csv", "a.csv.bak", "b.csv/mine", "c", "d/mine", "d/ours"]
    assert laid_beside(files, [], ["a.csv", "b.csv", "c/ours", "d/ours"]) == ["a.csv.bak", "d/mine"]
