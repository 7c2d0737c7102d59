"""`python checks.py` runs a notebook as the grader does, and tells what it would stumble over before it does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.submission.samples import solved
from tests.places import EXERCISES
from tests.tiny import TOML, write_tiny_exercise

LIMITS = "[limits]\ncpu_seconds = 1\nwall_seconds = 20\n"
GOOD = "tiny.ipynb: it runs from top to bottom, and has what the grader needs.\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = write_tiny_exercise(tmp_path_factory.mktemp("handing-in") / "tiny")
    (folder / "exercise.toml").write_text(TOML + LIMITS, encoding="utf-8")
    return build(Exercise(folder))


def tried(
    built: Built, folder: Path, notebook: NotebookNode | None, name: str = "", *arguments: str
) -> tuple[int, str]:
    """The exit status of checks.py beside a notebook, and what it prints."""
    (folder / "checks.py").write_text(built.checks_file, encoding="utf-8")
    if notebook:
        nbformat.write(notebook, folder / (name or f"{built.exercise.slug}.ipynb"))
    command = [sys.executable, str(folder / "checks.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_notebook_that_is_fit_is_told_so_with_what_its_checks_say(built: Built, tmp_path: Path) -> None:
    status, said = tried(built, tmp_path, solved(built))
    assert (status, said[: len(GOOD)]) == (0, GOOD)
    assert "✓ Double twice" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checks.py", "tiny.ipynb"]


def test_all_that_the_grader_would_stumble_over_is_told_at_once(built: Built, tmp_path: Path) -> None:
    notebook = solved(built)
    cells = {cell.id: cell for cell in notebook.cells}
    notebook.cells.remove(cells["quadruple"])
    notebook.cells.append(new_code_cell("import time, pandas as pd\nfrom sklearn.svm import SVC"))
    notebook.cells.append(new_code_cell("later"))
    notebook.cells.append(new_code_cell("time = __import__('time')\ntime.sleep(1.5)"))
    notebook.cells.append(new_code_cell("open('notes.txt')"))
    notebook.cells.append(new_code_cell("import urllib.request\nurllib.request.urlopen('http://example.org')"))
    notebook.cells.append(new_code_cell("print('x' * 2_000_000)"))
    notebook.cells.append(nbformat.from_dict({**cells["double"], "id": "another"}))
    (tmp_path / "notes.txt").write_text("mine")
    status, said = tried(built, tmp_path, notebook, "tiny (1).ipynb")
    lines = said.replace("  ✗ ", "").splitlines()
    assert (status, lines[0]) == (1, "tiny (1).ipynb: the grader would stumble over this:")
    assert lines[1:6] == [
        "the file is named tiny (1).ipynb; hand it in as tiny.ipynb",
        "the cell `double` is there 2 times, and one of them counts: delete the others",
        "the cell `quadruple` is missing: copy it from the notebook that you were given",
        "`pandas` is imported, and you can count on numpy, matplotlib alone",
        "`sklearn` is imported, and you can count on numpy, matplotlib alone",
    ]
    assert lines[6].startswith("code cell 6 (`import time, pandas as pd`) raises ModuleNotFoundError: No module named")
    assert "(it is not installed here, and may not be where notebooks are graded)" in lines[6]
    assert lines[7] == (
        "code cell 7 (`later`) raises NameError: name 'later' is not defined "
        "(cells are run from top to bottom, each once)"
    )
    assert lines[8] == "code cell 8 (`time = __import__('time')`) took 2 s here; the grader gives a cell 1 s"
    assert lines[9] == (
        "code cell 9 (`open('notes.txt')`) raises FileNotFoundError: [Errno 2] No such file or directory: 'notes.txt' "
        "(the grader has no other files than those that came with the notebook)"
    )
    assert "the grader has no network" in lines[10]
    assert lines[11] == "code cell 11 (`print('x' * 2_000_000)`) prints or draws more than 1 MiB; the rest is left out"


@pytest.mark.slow
def test_a_cell_without_an_end_ends_the_trial(tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    (folder / "exercise.toml").write_text(f"{TOML}[limits]\nwall_seconds = 3\n", encoding="utf-8")
    tiny = build(Exercise(folder))
    notebook = solved(tiny)
    notebook.cells.append(new_code_cell("while True: pass"))
    status, said = tried(tiny, tmp_path, notebook)
    assert status == 1
    assert "(`while True: pass`) has not come to its end after 3 s; the rest was not run\n" in said
    assert "Double twice" not in said


def test_without_a_notebook_nothing_can_be_tried(built: Built, tmp_path: Path) -> None:
    status, said = tried(built, tmp_path, None)
    assert (status, said.split(" ")[:5]) == (2, ["there", "is", "no", "notebook", str(tmp_path / "tiny.ipynb;")])
    (tmp_path / "other.ipynb").write_text(json.dumps([1]))
    status, said = tried(built, tmp_path, None, "", str(tmp_path / "other.ipynb"))
    assert (status, "cannot be read as a notebook" in said) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(path.parent.name for path in EXERCISES.glob("*/exercise.toml")))
def test_the_exercises_solved_have_what_the_grader_needs(slug: str, tmp_path: Path) -> None:
    exercise = build(Exercise(EXERCISES / slug))
    for name, content in exercise.exercise.given_files.items():
        (tmp_path / name).write_bytes(content)
    status, said = tried(exercise, tmp_path, solved(exercise))
    assert status == 0, said
    shutil.rmtree(tmp_path)
