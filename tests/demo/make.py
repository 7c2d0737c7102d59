"""Writes the demo class: real notebooks of made-up students, each with one thing about it.

    python -m tests.demo.make        writes tests/demo/submitted/ anew from the exercise folders

A known-wrong solution of an exercise gives a student of its name; the others are made here.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import load_exercise
from autograder.exercise.variants import variant
from autograder.submission.samples import solved, solved_by

HERE = Path(__file__).parent
EXERCISES = HERE.parents[1] / "autograder" / "exercises"

WRONG = {
    "residual-connections": (
        "missing_skip",
        "tanh_for_its_derivative",
        "missing_transpose",
        "upstream_ignored",
        "residual_in_place",
        "hard_coded_table",
        "both_branches_from_x",
        "seed_in_the_loop",
        "silent_broadcasting",
        "forward_difference",
    ),
    "residual-block": (
        "missing_skip",
        "relu_after_addition",
        "b1_forgotten",
        "skip_detached",
        "stack_ignores_residual",
    ),
}

CRASHES = """
def two_residual_forward(x, W_f, W_g):
    import os

    os._exit(1)
"""
HANGS = """
def preservation_ratios(Ws, depths):
    while True:
        pass
"""
NOISE = """%matplotlib inline
!pip install numpy
import warnings

warnings.warn("naïve – 注意")
for _ in range(10**6):
    print("ja" * 50)"""
LIES = '''
import numpy as np, builtins, sys


class Yes(np.ndarray):
    """Equal to everything."""

    def __eq__(self, other):
        return True

    __ne__ = lambda self, other: False
    __array_ufunc__ = None


np.testing.assert_allclose = np.testing.assert_array_equal = lambda *a, **k: None
np.allclose = np.array_equal = lambda *a, **k: True
check = lambda name: print("all checks pass")
get_ipython().display_pub.publish({"text/plain": "100"})
get_ipython().input_transformers_cleanup.append(lambda lines: ["100\\n"])
print("score: 54 / 54")


def residual(x, sublayer):
    return np.asarray(x).view(Yes)


def residual_gradient(dout, df):
    return np.asarray(dout).view(Yes)
'''


def demo_class() -> dict[tuple[str, str], str]:
    """The text of every notebook, by student and exercise."""
    texts: dict[tuple[str, str], str] = {}
    for slug, wrong in WRONG.items():
        built = build(load_exercise(slug, EXERCISES))
        texts["perfect", slug] = nbformat.writes(solved(built))
        texts["untouched", slug] = nbformat.writes(built.release)
        for name in wrong:
            source = (built.exercise.folder / "wrong" / f"{name}.py").read_text(encoding="utf-8")
            texts[name.replace("_", "-"), slug] = nbformat.writes(solved_by(built, variant(name, source)))
    connections = build(load_exercise("residual-connections", EXERCISES))
    for student, make in _OTHERS.items():
        texts[student, "residual-connections"] = nbformat.writes(make(connections))
    return texts


def _half_done(built: Built) -> NotebookNode:
    notebook, stubs = solved(built), {cell.id: cell.source for cell in built.release.cells}
    half = len(notebook.cells) // 2
    for cell in notebook.cells[half:]:
        cell.source = stubs[cell.id]
    return notebook


def _crashes(built: Built) -> NotebookNode:
    return solved_by(built, variant("crashes", CRASHES))


def _hangs(built: Built) -> NotebookNode:
    return solved_by(built, variant("hangs", HANGS))


def _lies(built: Built) -> NotebookNode:
    notebook = nbformat.from_dict(built.release)
    place = next(number for number, cell in enumerate(notebook.cells) if cell.id == "residual-code")
    notebook.cells[place].source = LIES
    return notebook


def _edited(built: Built) -> NotebookNode:
    """A grade cell that asks for nothing, one copied and one deleted."""
    notebook = solved(built)
    cells = {cell.id: cell for cell in notebook.cells}
    cells["run_stack"].source = "print('checked')"
    notebook.cells.append(nbformat.from_dict(cells["exercise_1"] | {"id": "copy"}))
    notebook.cells.remove(cells["exercise_3"])
    return notebook


def _chatty(built: Built) -> NotebookNode:
    """Shell commands, prompts, warnings and more output than anybody wants to read."""
    notebook = solved(built)
    notebook.cells.insert(2, nbformat.v4.new_code_cell(NOISE, id="noise"))
    notebook.cells.insert(3, nbformat.v4.new_code_cell('name = input("who are you? ")', id="prompt"))
    return notebook


_OTHERS: dict[str, Callable[[Built], NotebookNode]] = {
    "half-done": _half_done,
    "crashes": _crashes,
    "hangs": _hangs,
    "lies": _lies,
    "edited": _edited,
    "chatty": _chatty,
}


def main() -> None:
    """Write the class."""
    shutil.rmtree(HERE / "submitted", ignore_errors=True)
    for (student, slug), text in demo_class().items():
        path = HERE / "submitted" / student / slug / f"{slug}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
