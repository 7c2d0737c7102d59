"""Whatever lies in a folder, a look at it ends soon, follows no link and opens nothing that is no file."""

from __future__ import annotations

import os
import random
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.tree import Bounds, UnsafeError, look, read
from tests.odd_folders import ENTRIES, make_odd

pytestmark = pytest.mark.usefixtures("removed")
SECONDS = 20


@pytest.mark.broad
@pytest.mark.parametrize("seed", [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 60))])
def test_a_look_at_any_folder_ends_and_is_the_same_the_second_time(
    seed: int, tmp_path: Path, within: Callable[[float], None]
) -> None:
    within(SECONDS)
    folder = tmp_path / "student" / "tiny"
    make_odd(folder, seed)
    before = len(os.listdir("/proc/self/fd"))
    try:
        first = look(folder, trusted=tmp_path)
    except UnsafeError:
        assert folder.is_symlink() or not folder.is_dir()
        return
    assert look(folder, trusted=tmp_path) == first
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("kind", ENTRIES)
def test_each_kind_of_entry_changes_the_digest_and_is_put_under_its_name(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    before = look(folder)
    ENTRIES[kind](folder, random.Random(0))
    after = look(folder)
    assert after.digest != before.digest
    assert "kept" in after.files
    assert bool(after.links) == ("link" in kind)
    assert bool(after.odd) == (kind in ("a named pipe", "a socket"))


def test_a_change_of_one_byte_or_of_a_name_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    digests = [look(tmp_path).digest]
    (tmp_path / "a").write_text("two")
    digests.append(look(tmp_path).digest)
    (tmp_path / "a").rename(tmp_path / "b")
    digests.append(look(tmp_path).digest)
    (tmp_path / "empty").mkdir()
    digests.append(look(tmp_path).digest)
    assert len(set(digests)) == 4


@pytest.mark.parametrize(
    ("bounds", "left_out"),
    [
        (Bounds(entries=9, depth=1, size=100), {"c": "too many folders in one another"}),
        (Bounds(entries=9, depth=5, size=5), {"b": "it is too large (3 bytes)", "c/d": "it is too large (3 bytes)"}),
    ],
)
def test_what_lies_beyond_a_bound_is_named_and_not_read(
    bounds: Bounds, left_out: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    (folder / "c").mkdir(parents=True)
    for name in ("a", "b", "c/d"):
        (folder / name).write_bytes(b"123")
    assert look(folder, bounds).left_out == left_out


def test_more_entries_than_are_looked_at_are_told(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).touch()
    assert not look(tmp_path, Bounds(entries=3, depth=5, size=100)).is_too_large
    assert look(tmp_path, Bounds(entries=2, depth=5, size=100)).is_too_large


@pytest.mark.parametrize("part", ["student", "student/tiny"])
def test_no_link_is_followed_on_the_way(part: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "tiny").mkdir(parents=True)
    link = tmp_path / "submitted" / part
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere" / ("tiny" if part.endswith("tiny") else ""))
    with pytest.raises(UnsafeError):
        look(tmp_path / "submitted" / "student" / "tiny", trusted=tmp_path / "submitted")


@pytest.mark.parametrize("kind", ["a link to a file", "a named pipe", "a socket", "a folder"])
def test_only_a_regular_file_is_read(kind: str, tmp_path: Path, within: Callable[[float], None]) -> None:
    within(SECONDS)
    ENTRIES[kind](tmp_path, random.Random(1))
    (name,) = os.listdir(tmp_path)
    with pytest.raises(UnsafeError):
        read(tmp_path, name, 100)


def test_a_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read(tmp_path, "file", 5) == b"12345"
    with pytest.raises(UnsafeError, match="larger than"):
        read(tmp_path, "file", 4)


def test_few_descriptors_are_enough(tmp_path: Path) -> None:
    deep = tmp_path / "folder" / "/".join("d" * 15)
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(64, len(os.listdir("/proc/self/fd")) + 24), hard))
    try:
        assert look(tmp_path / "folder").left_out == {}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_sparse_file_costs_no_time(tmp_path: Path) -> None:
    ENTRIES["a sparse file of 20 GiB"](tmp_path, random.Random(0))
    start = time.monotonic()
    assert list(look(tmp_path).left_out.values()) == [f"it is too large ({20 << 10} MiB)"]
    assert time.monotonic() - start < SECONDS
