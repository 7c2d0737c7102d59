"""What is kept between runs is written whole or not at all, by one run at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import ConfigError
from autograder.store import memory_folder, one_run, write_whole


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        write_whole(tmp_path / "new" / "file", content)
    assert {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()} == {"file": b"second"}


def test_a_file_that_cannot_be_written_leaves_the_older_one_and_no_half(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "file", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_second_run_over_an_exercise_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with one_run(tmp_path, "tiny"):
        with pytest.raises(ConfigError, match="another run over tiny is going on"), one_run(tmp_path, "tiny"):
            pass
        with one_run(tmp_path, "other"):
            pass
    with one_run(tmp_path, "tiny"):
        assert (memory_folder(tmp_path) / "tiny").is_dir()
