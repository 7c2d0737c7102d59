"""What students meet when they run the notebook: told, on a small exercise that is broken in one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.authoring.kept import Kept
from autograder.authoring.rehearsal import rehearse
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from tests.authoring.test_verify import Change, added, replaced, verified, write_fit_exercise

GIVEN = 'print("a given cell that may be edited")'
HALVED = (
    '"""Halves x."""\n\nhint = "What is twice three?"\nloses = ["quadruple"]\n\n\ndef double(x):\n    return x / 2\n'
)
CAUGHT = """

@task("double")
def test_three_again(student):
    \'\'\'twice three again\'\'\'
    try:
        twice = student.double(3.0)
    except NotImplementedError:
        twice = None
    assert_close(twice, 6.0)
"""
WAITS = "from checks import needs\n\nwith needs('double'):\n    print(double(3))"


@pytest.fixture
def exercise(tmp_path: Path) -> Path:
    return write_fit_exercise(tmp_path)


def told(folder: Path) -> list[str]:
    built = build(Exercise(folder))
    return rehearse(built, 1, Kept(built, None))


def test_a_fit_notebook_has_no_problem_and_a_cell_may_wait_or_say_that_nothing_is_written(exercise: Path) -> None:
    replaced("notebook.py", GIVEN, f"{WAITS}\n\n# %%\ndouble(3)\n\n# %%\n%timeit -n1 -r1 2")(exercise)
    assert told(exercise) == []


THREE = "student.double(np.array([3.0])), np.array([6.0])"
BROKEN: dict[str, tuple[Change, list[str]]] = {
    "setup that does not run": (
        replaced("notebook.py", "import numpy as np\n", "import numpy as np\nimport numpyy\n"),
        [
            "the reference notebook: cell `setup` raises ModuleNotFoundError: No module named 'numpyy' "
            "(cell 1, line 2: import numpyy)"
        ],
    ),
    "given cell that fails": (
        replaced("notebook.py", GIVEN, "1 / 0"),
        [
            f"the {notebook} notebook: cell `code-1` raises ZeroDivisionError: division by zero (cell 4, line 1: 1 / 0)"
            for notebook in ("reference", "released")
        ],
    ),
    "given cell that ends the process": (
        replaced("notebook.py", GIVEN, "import os\nos._exit(3)"),
        [
            f"the {notebook} notebook: cell `code-1` ends the process: it ended the notebook's process (exit code 3)"
            for notebook in ("reference", "released")
        ],
    ),
    "given cell that fails where nothing is written": (
        replaced("notebook.py", GIVEN, "six = double(3)\n\n# %%\nprint(six)"),
        [
            "the released notebook: cell `code-2` raises NameError: name 'six' is not defined "
            "(cell 5, line 1: print(six))"
        ],
    ),
    "package that only a call needs": (
        replaced("notebook.py", GIVEN, "def plot():\n    from seaborn import lineplot"),
        [
            "the reference notebook: `from seaborn import lineplot` raises ModuleNotFoundError: "
            "No module named 'seaborn' (cell 7, line 1: from seaborn import lineplot)"
        ],
    ),
    "public check that the reference fails": (
        replaced("test_public.py", THREE, THREE.replace("6.0", "7.0")),
        [
            f"{who}: the public check of `double` fails: twice three: double(x): 1 of 1 entries differs; "
            "the first at [0] (yours is 6), off by about 1"
            for who in ("the reference notebook", "right/added")
        ],
    ),
    "public check that breaks": (
        replaced("test_public.py", THREE, "student.double(np.array([3.0])[5]), 6.0"),
        [
            f"{who}: twice three: IndexError: index 5 is out of bounds for axis 0 with size 1"
            for who in (
                "the reference notebook: the public check of `double` fails",
                "the released notebook: the public check of `double` finds a fault where nothing is written",
                "right/added: the public check of `double` fails",
            )
        ],
    ),
    "public check that finds a fault in a stub": (
        added("test_public.py", CAUGHT),
        [
            "the released notebook: the public check of `double` finds a fault where nothing is written: "
            "twice three again: the result: it should be a single number, yours is None; is a `return` missing?"
        ],
    ),
    "right way that a public check refuses": (
        replaced("right/added.py", "x + x", "[entry + entry for entry in x]"),
        [
            f"right/added: the public check of `{name}` fails: {times} three: {name}(x): "
            "it should be a NumPy array, yours is an object of type list"
            for name, times in (("double", "twice"), ("quadruple", "four times"))
        ],
    ),
    "wrong way that only a public check refuses": (
        added("wrong/halved.py", HALVED),
        [
            "wrong/halved fails the public check of `double` and loses nothing for it: twice three: "
            "double(x): 1 of 1 entries differs; the first at [0] (yours is 1.5), off by about 4; "
            "the hidden tests are weaker than the public ones"
        ],
    ),
}


@pytest.mark.parametrize(("change", "problems"), BROKEN.values(), ids=BROKEN)
def test_what_students_would_meet_is_a_problem(exercise: Path, change: Change, problems: list[str]) -> None:
    change(exercise)
    assert told(exercise) == problems


def test_an_import_that_may_fail_is_none(exercise: Path) -> None:
    optional = "def plot():\n    try:\n        import seaborn\n    except ImportError:\n        return None"
    replaced("notebook.py", GIVEN, optional)(exercise)
    assert told(exercise) == []


def test_a_mistake_that_shows_again_in_a_later_check_loses_its_points_once(exercise: Path) -> None:
    """The public check of `quadruple` takes the student's own `double`; its hidden tests need not."""
    replaced("wrong/squared.py", '["double", "quadruple"]', '["double"]')(exercise)
    assert told(exercise) == []


def test_verify_rejects_what_students_would_meet(exercise: Path) -> None:
    for name in ("given cell that fails", "public check that the reference fails"):
        BROKEN[name][0](exercise)
    problems = verified(exercise).problems
    for name in ("given cell that fails", "public check that the reference fails"):
        assert set(BROKEN[name][1]) <= set(problems)
