"""The commands for those who write exercises, in a course whose exercises lie elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course


def test_an_exercise_is_started_where_several_courses_share_them(
    new_course: Callable[[str], Course], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, shared = new_course("course"), tmp_path / "shared"
    config = course.root / "grader_config.py"
    config.write_text(f"{config.read_text()}c.Course.exercises = {str(shared)!r}\n")
    monkeypatch.chdir(course.root)
    started = CliRunner().invoke(main, ["new", "second"])
    assert (started.exit_code, f"wrote {shared}/second/exercise.toml" in started.output) == (0, True), started.output
