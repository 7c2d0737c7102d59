"""Nothing of the package is overlooked, wherever it lies, and what is named is there."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import layout

PRINT_SOURCES = "from autograder.store import SOURCES; print(SOURCES)"


def test_what_is_named_is_there() -> None:
    assert importlib.util.find_spec(layout.WARM_PARENT)
    assert all(file.is_file() for file in layout.CHECKS_SOURCES)
    assert layout.TEMPLATES.is_dir()
    assert layout.FEEDBACK_TEMPLATE.is_file()


def test_the_modules_are_those_of_every_room_and_no_exercise() -> None:
    found = {str(path.relative_to(layout.PACKAGE)) for path in layout.modules()}
    assert {"errors.py", "inside/server.py", "commands/grading.py", "authoring/verify.py"} <= found
    assert not any(name.startswith("exercises") for name in found)


@pytest.mark.parametrize("name", ["autograder", "autograder.wire", "autograder.inside.server"])
def test_a_module_of_the_package_is_told_by_its_name(name: str) -> None:
    assert layout.is_own_module(name)
    assert not layout.is_own_module(f"my_{name}")


@pytest.mark.broad
def test_a_change_in_any_room_is_a_change_of_the_package(tmp_path: Path) -> None:
    """Or an old grade would stand that the changed package would not give."""
    package = tmp_path / "autograder"
    shutil.copytree(layout.PACKAGE, package, ignore=shutil.ignore_patterns("exercises", "__pycache__"))

    def sources() -> str:
        command = [sys.executable, "-c", PRINT_SOURCES]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    seen = [sources()]
    rooms = ["", *sorted({str(path.parent.relative_to(layout.PACKAGE)) for path in layout.modules()} - {"."})]
    in_rooms = [next((package / room).glob("*.py")) for room in rooms]
    for changed in [*in_rooms, package / layout.FEEDBACK_TEMPLATE.relative_to(layout.PACKAGE)]:
        with changed.open("a") as file:
            file.write("# changed\n")
        seen.append(sources())
        assert seen[-1] not in seen[:-1], changed
