"""What is installed: students' code may read all installed packages, so no exercise is among them."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

from autograder import layout
from tests.places import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEVER_IMPORTED = {
    "jupyter",  # instructors need its server for formgrader
    "threadpoolctl",  # a notebook of verify's does, in the student's process
    "torch",  # the warm parent imports it by name, for students
}
WITH_ITS_OWNER = {"dask"}  # `distributed` asks for the one release that fits


@pytest.mark.broad
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
    assert "autograder/course/class_page.html.j2" in names
    assert "autograder/course/student_page.html.j2" in names
    assert "autograder/grading/feedback.html.j2" in names
    assert "autograder/authoring/templates/course/.gitignore.txt" in names
    names = [name for name in names if not name.startswith("autograder/authoring/templates/")]
    assert [name for name in names if "exercises" in name or "hidden" in name or "/right/" in name] == []


def plain(distribution: str) -> str:
    """A name as the package index compares it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def declared(requirements: list[str]) -> set[str]:
    return {plain(re.split(r"[^\w.-]", requirement)[0]) for requirement in requirements}


def imported() -> set[str]:
    """The distributions of all that some module imports, anywhere in it."""
    names: set[str] = set()
    for path in layout.modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(str(node.module).split(".")[0])
    others = names - sys.stdlib_module_names - {layout.PACKAGE.name}
    distributions = packages_distributions()
    return {plain(distributions[name][0]) for name in others}


def test_what_the_package_imports_is_declared_and_what_is_declared_is_imported() -> None:
    extra = declared(PROJECT["optional-dependencies"]["cluster"])
    needed = declared(PROJECT["dependencies"])
    assert imported() - WITH_ITS_OWNER == (needed | extra) - NEVER_IMPORTED
    assert needed & (extra | WITH_ITS_OWNER) == set()
