"""An exercise about measurements: a table and a module that students get, a function, a number, a choice and a plot."""

from __future__ import annotations

TOML = """\
title = "A spring"
files = ["spring.csv", "units.py"]

[tasks.stiffness]
title = "How stiff it is"
points = 6
functions = ["stiffness"]
hint = "The length grows by a line over the mass. What is its slope, and what has the stiffness to do with that?"

[tasks.rest]
title = "Its length without a load"
points = 2
variables = ["rest_length"]
needs = ["stiffness"]
question = { kind = "number", rtol = 0.01 }

[tasks.harder]
title = "A stiffer one"
points = 2
variables = ["harder"]
question = { kind = "choice", options = ["the line is steeper", "the line is flatter", "the line is moved up"] }

[tasks.plot]
title = "The measurements"
points = 2
by_hand = true
rubric = [
    { points = 1, text = "The axes are named, with units." },
    { points = 1, text = "The measurements are points, with the line through them." },
]
"""

TABLE = """\
mass in g,length in mm
0,80.2
20,99.1
40,119.6
60,139.9
80,157.8
100,178.6
150,227.4
200,276.3
"""

UNITS = '''\
"""Units, given: nothing here is yours to write."""

G = 9.81  # metres per second squared


def si(table):
    """Grams and millimetres as kilograms and metres."""
    return table / 1000
'''

NOTEBOOK = '''\
# %% [markdown]
# # A spring
#
# `spring.csv` has what somebody measured: a mass, and how long the spring is with it.

# %% setup=true
import matplotlib.pyplot as plt
import numpy as np
from checks import check
from units import G, si

MASS, LENGTH = si(np.loadtxt("spring.csv", delimiter=",", skiprows=1)).T


# %% task="stiffness"
def stiffness(mass, length):
    """Newtons for each metre: the mass pulls by G * mass, and the length grows in proportion.

    mass, length: (N,), in kilograms and metres; both must be the same after the call
    returns one number, by the line of least squares for the length over the mass
    """
    ### BEGIN SOLUTION
    dm = mass - mass.mean()
    return G * np.sum(dm**2) / np.sum(dm * length)
    ### END SOLUTION


# %% grade="stiffness"
check("stiffness")

# %% [markdown]
# How long is it with nothing on it, by the line through all measurements?

# %% task="rest"
### BEGIN SOLUTION
rest_length = LENGTH.mean() - G * MASS.mean() / stiffness(MASS, LENGTH)
### END SOLUTION

# %% grade="rest"
check("rest")

# %% [markdown]
# For a stiffer spring of the same length without a load, what becomes of the line of the length over the mass?

# %% task="harder"
### BEGIN SOLUTION
harder = "the line is flatter"
### END SOLUTION

# %% grade="harder"
check("harder")

# %% [markdown]
# Draw the measurements, and the line.

# %% task="plot"
### BEGIN SOLUTION
plt.plot(MASS, LENGTH, "o")
plt.plot(MASS, rest_length + G * MASS / stiffness(MASS, LENGTH))
plt.xlabel("mass [kg]")
plt.ylabel("length [m]")
### END SOLUTION
'''

PUBLIC = '''\
"""Two weights."""

import numpy as np
from autograder.testing import assert_close, task
from units import G


@task("stiffness")
def test_one_metre(student):
    """A kilogram more makes it a metre longer."""
    assert_close(student.stiffness(np.array([1.0, 2.0]), np.array([3.0, 4.0])), G, what="the stiffness")
'''

HIDDEN = '''\
"""Other measurements than those of the file, which everybody has."""

import numpy as np
import pytest
from autograder.testing import assert_close, assert_exact, task


@task("stiffness", weight=3)
@pytest.mark.parametrize("N", [2, 7, 50])
def test_measurements(student, reference, rng, N):
    """Random measurements of a random spring."""
    mass = 2 + rng.standard_normal(N)
    length = rng.uniform(1, 3) + rng.uniform(0.5, 2) * mass + 0.1 * rng.standard_normal(N)
    assert_close(student.stiffness(mass, length), reference.stiffness(mass, length), what="the stiffness")


@task("stiffness")
def test_the_table(student, reference):
    """The measurements of spring.csv, each of them twice."""
    mass, length = reference.si(np.loadtxt("spring.csv", delimiter=",", skiprows=1)).repeat(2, axis=0).T
    assert_close(student.stiffness(mass, length), reference.stiffness(mass, length), what="the stiffness")


@task("stiffness")
def test_one_after_the_other(student, reference, rng):
    """Small and large springs, one after the other, and whether the measurements are the same after the calls."""
    springs = [(size * rng.uniform(1, 2, 5), other * rng.uniform(1, 2, 5)) for size, other in ((1e3, 1), (1e-9, 1e3))]
    springs.append((np.arange(5.0), 1e-9 * np.arange(5.0)))
    kept = [tuple(map(student.put, one)) for one in springs]
    found = [student.stiffness(*handles) for handles in kept]
    for one, handles, mine in zip(springs, kept, found):
        assert_close(mine, reference.stiffness(*one), what="the stiffness")
        for handle, before in zip(handles, one):
            assert_exact(student.get(handle), before, what="the measurements after the call")
'''

EQUIVALENT = """\
"*: leaves the modes of NumPy or torch changed" = "no function of the setup cell looks for it"
"""


def _wrong(title: str, hint: str, loses: str, code: str) -> str:
    return f'"""{title}"""\n\nhint = "{hint}"\nloses = {loses}\n\n\n{code}\n'


FILES = {
    "exercise.toml": TOML,
    "spring.csv": TABLE,
    "units.py": UNITS,
    "notebook.py": NOTEBOOK,
    "test_public.py": PUBLIC,
    "test_hidden.py": HIDDEN,
    "equivalent.toml": EQUIVALENT,
    "wrong/gravity_forgotten.py": _wrong(
        "The slope is taken by masses, not by their weights.",
        "Your number has the unit kilograms for each metre. Who pulls at the spring?",
        '["stiffness", "rest"]',
        "def stiffness(mass, length):\n    dm = mass - mass.mean()\n    return np.sum(dm**2) / np.sum(dm * length)",
    ),
    "wrong/through_the_origin.py": _wrong(
        "The spring is taken to have no length without a load.",
        "How long is your spring with nothing on it?",
        '["stiffness", "rest"]',
        "def stiffness(mass, length):\n    return G * np.sum(mass**2) / np.sum(mass * length)",
    ),
    "wrong/steeper.py": _wrong(
        "A stiff spring is taken to grow more.", "Which of two springs gives way more?", '["harder"]', "harder = OPTION"
    ).replace("OPTION", '"the line is steeper"'),
    "right/polyfit.py": '"""By NumPy\'s own fit."""\n\n\ndef stiffness(mass, length):\n'
    "    middle = mass.mean()\n    return G / np.polyfit(mass - middle, length, 1)[0]\n",
}
