"""A small exercise folder for tests: two tasks that need NumPy alone, and one graded by hand."""

from __future__ import annotations

from pathlib import Path

TOML = """\
title = "Twice and twice again"

[tasks.double]
title = "Double"
points = 4
functions = ["double"]
hint = "Add x to itself."

[tasks.quadruple]
title = "Double twice"
points = 3
functions = ["quadruple"]
needs = ["double"]

[tasks.explain]
title = "Explain it"
points = 2
by_hand = true
"""

NOTEBOOK = """\
# %% [markdown]
# # Twice and twice again

# %% setup=true
import numpy as np
from checks import check


# %% task="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% grade="double"
check("double")

# %%
print("a given cell that may be edited")

# %% task="quadruple"
START = 0


def quadruple(x):
    ### BEGIN SOLUTION
    return double(double(x))
    ### END SOLUTION


# %% grade="quadruple"
check("quadruple")

# %% [markdown]
# Why does doubling twice make four times?

# %% [markdown] task="explain"
# Because the factors multiply.
"""

PUBLIC = '''\
"""The public checks."""

import numpy as np

from autograder.testing import assert_close, task


@task("double")
def test_three(student):
    """twice three"""
    assert_close(student.double(np.array([3.0])), np.array([6.0]), "double(x)")


@task("quadruple")
def test_four_times(student):
    """four times three"""
    assert_close(student.quadruple(np.array([3.0])), np.array([12.0]), "quadruple(x)")
'''

HIDDEN = '''\
"""The hidden tests."""

from autograder.testing import assert_close, require, task


@task("double", weight=3)
def test_random(student, reference, rng):
    """twice a random array"""
    x = rng.standard_normal((3, 4))
    assert_close(student.double(x), reference.double(x), "double(x)")


@task("double")
def test_number(student):
    """twice a number"""
    assert_close(student.double(2.5), 5.0, "double(2.5)")


@task("quadruple")
def test_four_times(student, reference, rng):
    """four times a random array"""
    x = rng.standard_normal(5)
    assert_close(student.quadruple(x), reference.quadruple(x), "quadruple(x)")
'''

BEHAVIOURS = """\
*: clips its arguments at 5
*: drops axes of length 1 from its result
*: is wrong where an argument is 0
*: is wrong where its first array has an axis of length 1
*: is wrong where its first array is constant
*: leaves the modes of NumPy or torch changed
*: remembers results by the shapes of its arrays
*: remembers results by which object an argument is
*: returns one result, or cache, for all calls, updated in place
*: takes its arrays to be contiguous
*: takes results below 1e-6 for zero
*: writes into the arrays of an argument
""".splitlines()  # what the hidden tests do not look for


def write_tiny_exercise(folder: Path) -> Path:
    """Write the four files of the exercise into `folder`; the folder."""
    folder.mkdir(parents=True)
    files = {"exercise.toml": TOML, "notebook.py": NOTEBOOK, "test_public.py": PUBLIC, "test_hidden.py": HIDDEN}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
