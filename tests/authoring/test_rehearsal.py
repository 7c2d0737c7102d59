"""What students meet when they run the notebook: told, on a small exercise that is broken in one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.authoring.kept import Kept
from autograder.authoring.rehearsal import rehearse
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from tests.authoring.test_verify import Change, added, replaced, write_fit_exercise

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


OPTIONAL = "def plot():\n    try:\n        import seaborn\n    except ImportError:\n        return None"


def test_a_fit_notebook_has_no_problem(exercise: Path) -> None:
    """A cell may wait, or say that nothing is written; an import may fail.

    A mistake that shows again in a later check loses its points once: the public check of `quadruple` takes the
    student's own `double`; its hidden tests need not.
    """
    cells = "\n\n# %%\n".join([WAITS, "double(3)", "%timeit -n1 -r1 2", OPTIONAL])
    replaced("notebook.py", GIVEN, cells)(exercise)
    replaced("wrong/squared.py", '["double", "quadruple"]', '["double"]')(exercise)
    assert told(exercise) == []


GIVEN_CELLS = [
    "1 / 0",
    "import os\nos._exit(3)",
    "six = double(3)",
    "print(six)",
    "def plot():\n    from seaborn import lineplot",
]
THREE = "student.double(np.array([3.0])), np.array([6.0])"
SEVEN = "twice three: double(x): 1 of 1 entries differs; the first at [0] (yours is 6), off by about 1"
NO_SUCH_ENTRY = "four times three: IndexError: index 5 is out of bounds for axis 0 with size 1"
FOUR_TIMES = "student.quadruple(np.array([3.0])), np.array([12.0])"
# What does not hang on each other is broken in one notebook: by what is in it, the changes and all that is told.
BROKEN: dict[str, tuple[list[Change], list[str]]] = {
    "setup that does not run": (
        [replaced("notebook.py", "import numpy as np\n", "import numpy as np\nimport numpyy\n")],
        [
            "the reference notebook: cell `setup` raises ModuleNotFoundError: No module named 'numpyy' "
            "(cell 1, line 2: import numpyy)"
        ],
    ),
    "given cells that fail, end the process, fail where nothing is written, and need a package only in a call": (
        [replaced("notebook.py", GIVEN, "\n\n# %%\n".join(GIVEN_CELLS))],
        [
            "the reference notebook: cell `code-1` raises ZeroDivisionError: division by zero (cell 4, line 1: 1 / 0)",
            "the reference notebook: cell `code-2` ends the process: it ended the notebook's process (exit code 3)",
            "the reference notebook: `from seaborn import lineplot` raises ModuleNotFoundError: "
            "No module named 'seaborn' (cell 11, line 1: from seaborn import lineplot)",
            "the released notebook: cell `code-1` raises ZeroDivisionError: division by zero (cell 4, line 1: 1 / 0)",
            "the released notebook: cell `code-2` ends the process: it ended the notebook's process (exit code 3)",
            "the released notebook: cell `code-4` raises NameError: name 'six' is not defined "
            "(cell 7, line 1: print(six))",
        ],
    ),
    "public checks, one that the reference fails and one that breaks": (
        [
            replaced("test_public.py", THREE, THREE.replace("6.0", "7.0")),
            replaced("test_public.py", FOUR_TIMES, "student.quadruple(np.array([3.0])[5]), 12.0"),
        ],
        [
            f"{who}: the public check of {check}: {SEVEN if 'double' in check else NO_SUCH_ENTRY}"
            for who, checks in (
                ("the reference notebook", ("`double` fails", "`quadruple` fails")),
                ("the released notebook", ("`quadruple` finds a fault where nothing is written",)),
                ("right/added", ("`double` fails", "`quadruple` fails")),
            )
            for check in checks
        ],
    ),
    "public checks that find a fault in a stub, refuse a right way, and alone refuse a wrong one": (
        [
            added("test_public.py", CAUGHT),
            replaced("right/added.py", "x + x", "[entry + entry for entry in x] if np.ndim(x) else x + x"),
            added("wrong/halved.py", HALVED),
        ],
        [
            "the released notebook: the public check of `double` finds a fault where nothing is written: "
            "twice three again: the result: it should be a single number, yours is None; is a `return` missing?",
            *(
                f"right/added: the public check of `{name}` fails: {times} three: {name}(x): "
                "it should be a NumPy array, yours is an object of type list"
                for name, times in (("double", "twice"), ("quadruple", "four times"))
            ),
            "wrong/halved fails the public check of `double` and loses nothing for it: twice three: "
            "double(x): 1 of 1 entries differs; the first at [0] (yours is 1.5), off by about 4; "
            "the hidden tests are weaker than the public ones",
        ],
    ),
}


@pytest.mark.parametrize(("changes", "problems"), BROKEN.values(), ids=BROKEN)
def test_what_students_would_meet_is_a_problem(exercise: Path, changes: list[Change], problems: list[str]) -> None:
    for change in changes:
        change(exercise)
    assert told(exercise) == problems
