"""Checks of functions that stand in a module beside the notebook: at home, in the student's own kernel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.exercise.build import build, write
from autograder.exercise.definition import Exercise
from tests.cookbook.two_layers import write_two_layers

SETUP = "import numpy as np\nfrom checks import check\nfrom layers import affine, relu\n"
RIGHT = "def affine(x, W, b):\n    return x @ W + b\n\n\ndef relu(x):\n    return x * (x > 0)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a student has got."""
    write(build(Exercise(write_two_layers(tmp_path))), tmp_path / "solutions", tmp_path / "assignments")
    return tmp_path / "assignments" / "two-layers"


def run(folder: Path, *cells: str) -> str:
    """What cells print, run one after the other; `edit(text)` saves the module as an editor would.

    A cell that cannot import something ends there, and the next one is run.
    """
    edit = "from contextlib import suppress\ndef edit(text):\n    open('layers.py', 'w').write(text)\n"
    run_cell = "    with suppress(ImportError, SyntaxError):\n        exec(compile(cell, '<cell>', 'exec'))\n"
    program = f"In = {['', SETUP, *cells]!r}\nfor cell in In:\n{run_cell}"
    return subprocess.run(
        [sys.executable, "-c", edit + program], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_what_is_not_written_is_told_and_what_was_written_since_is_seen_at_once(folder: Path) -> None:
    told = run(folder, "check('relu')", f"edit({RIGHT!r})", "check('relu')", "print(relu(np.array([-2.0, 3.0])))")
    assert "`relu` is not written yet" in told
    assert "1 of 1 checks pass" in told
    assert told.endswith("[-0.  3.]\n")


def test_a_module_that_cannot_be_loaded_anew_is_told(folder: Path) -> None:
    told = run(folder, "edit('def f(:')", "check('relu')", f"edit({RIGHT!r})", "check('relu')")
    assert "layers.py cannot be imported" in told
    assert "SyntaxError" in told
    assert "1 of 1 checks pass" in told


def test_an_error_is_told_with_its_file_and_line(folder: Path) -> None:
    told = run(folder, f"edit({RIGHT.replace('x * (x > 0)', 'x / None')!r})", "check('relu')")
    assert "(in line 6 of layers.py)" in told
    assert "return x / None" in told


def test_what_is_not_allowed_is_told(folder: Path) -> None:
    used = "import numpy as np\n" + RIGHT.replace("x * (x > 0)", "np.maximum(x, 0)")
    told = run(folder, f"edit({used!r})", "check('relu')")
    assert "`numpy.maximum` (layers.py, line 7: return np.maximum(x, 0))" in told


AGAIN = "run the cell that begins with `import numpy as np` again"
FAULTS = [
    ("def f(:\n", "layers.py cannot be imported", "SyntaxError"),
    (RIGHT.replace("def relu", "def rely"), "there is no `relu` in layers.py", AGAIN),
]


@pytest.mark.parametrize(("module", "fault", "said"), FAULTS)
def test_a_module_that_has_ended_the_setup_cell_is_told_and_mended(
    folder: Path, module: str, fault: str, said: str
) -> None:
    (folder / "layers.py").write_text(module)
    told = run(folder, "check('relu')", f"edit({RIGHT!r})", "check('relu')", SETUP, "check('relu')")
    ended, mended, right = told.split("The rectifier")[1:]
    assert fault in " ".join(ended.split())
    assert said in " ".join(ended.split())
    assert "first run the cell that begins with `import numpy as np`" in " ".join(mended.split())
    assert "1 of 1 checks pass" in right
