"""What is kept between runs is found under its key alone, replaced by what is newer, written by one run at a time."""

from __future__ import annotations

import zlib
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import store as store_module
from autograder.errors import ConfigError
from autograder.store import Store, key_of, write_whole


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, "tiny")


def files(root: Path, shelf: str) -> list[Path]:
    return list((root / ".autograder" / "tiny" / shelf).iterdir())


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        write_whole(tmp_path / "new" / "file", content)
    assert {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()} == {"file": b"second"}


def test_a_file_that_cannot_be_written_leaves_the_older_one_and_no_half(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "file", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_is_kept_is_found_under_its_key_and_no_other(store: Store) -> None:
    store.save("shelf", "ada", key_of("one"), b"content")
    assert store.load("shelf", "ada", key_of("one")) == b"content"
    assert store.load("shelf", "ada", key_of("two")) is None
    assert store.load("shelf", "ben", key_of("one")) is None
    assert store.load("other", "ada", key_of("one")) is None


def test_only_the_newest_is_kept_for_a_name(store: Store, tmp_path: Path) -> None:
    for number in range(3):
        store.save("shelf", "ada", key_of(number), b"%d" % number)
    assert store.load("shelf", "ada", key_of(2)) == b"2"
    assert len(files(tmp_path, "shelf")) == 1


@given(name=st.text(st.characters(exclude_categories=[]), max_size=300))
def test_a_name_may_hold_anything(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    store = Store(tmp_path_factory.getbasetemp(), "names")
    name = name.encode("utf-8", "replace").decode()
    store.save("shelf", name, "key", b"content")
    assert store.load("shelf", name, "key") == b"content"


@pytest.mark.parametrize(
    "package", ["numpy", "torch", "pillow", "matplotlib", "kiwisolver", "pytest", "markdown-it-py"]
)
def test_another_version_of_what_a_report_hangs_on_is_another_key(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = key_of("one")
    monkeypatch.setattr(store_module, "version", lambda name: "0.0" if name == package else version(name))
    store_module._versions.cache_clear()
    try:
        assert key_of("one") != before
    finally:
        monkeypatch.undo()
        store_module._versions.cache_clear()
    assert key_of("one") == before


def test_what_is_kept_for_other_names_goes(store: Store) -> None:
    for name in ("ada", "ben", "zoe"):
        store.save("shelf", name, "key", name.encode())
    store.keep_only("shelf", ["ada", "new"])
    assert [store.load("shelf", name, "key") for name in ("ada", "ben", "zoe")] == [b"ada", None, None]


@pytest.mark.parametrize("spoil", [lambda old: b"", lambda old: old[:-3], lambda old: old[:19], lambda old: b"x" + old])
def test_a_spoilt_file_counts_as_none(store: Store, tmp_path: Path, spoil: object) -> None:
    store.save("shelf", "ada", "key", b"content")
    (file,) = files(tmp_path, "shelf")
    file.write_bytes(spoil(file.read_bytes()))  # type: ignore[operator]
    assert store.load("shelf", "ada", "key") is None


def test_another_format_counts_as_none(store: Store, tmp_path: Path) -> None:
    store.save("shelf", "ada", "key", b"content")
    (file,) = files(tmp_path, "shelf")
    file.write_bytes(file.read_bytes().replace(b"store 1", b"store 2"))
    assert store.load("shelf", "ada", "key") is None


def test_a_file_that_unpacks_without_end_takes_no_more_memory_than_there_is(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.store._LARGEST", 1 << 20)
    store.save("shelf", "ada", "key", b"")
    (file,) = files(tmp_path, "shelf")
    file.write_bytes(file.read_bytes().removesuffix(zlib.compress(b"", 1)) + zlib.compress(bytes(10 << 20)))
    assert store.load("shelf", "ada", "key") is None


def test_where_nothing_can_be_written_that_is_said(tmp_path: Path) -> None:
    (tmp_path / ".autograder").write_text("a file in its place")
    with pytest.raises(ConfigError, match="cannot be written to"), Store(tmp_path, "tiny").one_run():
        pass


def test_a_second_run_over_an_exercise_is_refused_until_the_first_has_ended(store: Store, tmp_path: Path) -> None:
    with store.one_run():
        with pytest.raises(ConfigError, match="another run over tiny is going on"), Store(tmp_path, "tiny").one_run():
            pass
        with Store(tmp_path, "other").one_run():
            pass
    with store.one_run():
        pass
