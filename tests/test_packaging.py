"""What is installed: students' code may read all installed packages, so no exercise is among them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.places import REPOSITORY


def test_a_wheel_holds_the_package_and_no_hidden_test_and_no_solution(tmp_path: Path) -> None:
    pytest.importorskip("pip")
    pytest.importorskip("setuptools", minversion="77")
    source = tmp_path / "source"
    shutil.copytree(REPOSITORY / "autograder", source / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*build, str(source)], check=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    names = ZipFile(wheel).namelist()
    assert "autograder/inside/seccomp.py" in names
    assert "autograder/py.typed" in names
    assert "autograder/authoring/page.html.j2" in names
    assert "autograder/grading/feedback.html.j2" in names
    assert "autograder/authoring/templates/course/.gitignore.txt" in names
    names = [name for name in names if not name.startswith("autograder/authoring/templates/")]
    assert [name for name in names if "exercises" in name or "hidden" in name or "/right/" in name] == []
