"""The zip for Gradescope, unpacked as Gradescope does and run: a score, or a failure that is no zero."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest

from autograder.course.course import Course
from autograder.course.exports.gradescope_zip import write_zip
from autograder.submission.samples import solved


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    return new_course("course")


@pytest.fixture
def place(course: Course, tmp_path: Path) -> Path:
    """As `/autograder` is there, without what `setup.sh` installs: this interpreter has it."""
    write_zip(course, "tiny", tmp_path / "tiny.zip")
    root = tmp_path / "autograder"
    (root / "submission").mkdir(parents=True)
    with ZipFile(tmp_path / "tiny.zip") as packed:
        packed.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root)
    return root


def run(place: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": path}
    command = ["bash", "run_autograder"]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_zip_has_what_gradescope_asks_for_at_its_root_and_is_the_same_bytes_again(
    course: Course, tmp_path: Path
) -> None:
    write_zip(course, "tiny", tmp_path / "one.zip")
    write_zip(course, "tiny", tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with ZipFile(tmp_path / "one.zip") as packed:
        names = set(packed.namelist())
        scripts = [packed.getinfo(name) for name in ("setup.sh", "run_autograder")]
        wanted = packed.read("requirements.txt").decode().splitlines()
    assert [script.external_attr >> 16 for script in scripts] == [0o755, 0o755]
    assert {"package/autograder/cli.py", "exercise/tiny/test_hidden.py"} <= names
    assert [name for name in names if name.startswith("package/autograder/exercises/")] == []
    assert any(one.startswith("numpy==") for one in wanted)
    assert not any("extra" in one for one in wanted)


def test_run_in_a_bare_folder_it_makes_a_valid_results_json(course: Course, place: Path) -> None:
    nbformat.write(solved(course.build("tiny")), place / "submission" / "homework.ipynb")
    done = run(place)
    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads((place / "results" / "results.json").read_text())
    assert results["score"] == 7
    assert [(test["name"], test.get("score"), test.get("max_score")) for test in results["tests"]] == [
        ("Double", 4, 4), ("Double twice", 3, 3), ("Explain it", None, None),
    ]  # fmt: skip
    assert "file renamed" in results["output"]


@pytest.mark.slow
def test_what_cannot_be_graded_fails_and_leaves_no_score(course: Course, place: Path) -> None:
    (place / "results").mkdir()
    (place / "results" / "results.json").write_text('{"score": 7}')
    (place / "submission" / "tiny.ipynb").write_text("{")
    done = run(place)
    assert done.returncode == 1
    assert "autograder: not graded" in done.stderr
    assert not (place / "results" / "results.json").exists()
