"""An exercise of a training loop: its losses must fall, and a seed decides all that is drawn."""

from __future__ import annotations

TOML = """\
title = "A training loop"

[tasks.train]
title = "A training loop"
points = 10
functions = ["train"]
hint = "Which way does the gradient point? And who else draws from the same numbers as you?"
"""

NOTEBOOK = '''\
# %% [markdown]
# # A training loop
#
# Fit a line by stochastic gradient descent.

# %% setup=true
import numpy as np
from checks import check


# %% task="train"
def train(x, y, steps, rate, seed):
    """Fits y by x @ w. It begins with w = 0; each step draws 8 rows and moves w against the gradient of their loss.

    x: (B, C), y: (B,). steps: how many. rate: of learning. seed: of the generator from which the rows are drawn
    returns (w, losses): w is (C,); losses are a list of the mean squared error over all rows, before each step
    """
    ### BEGIN SOLUTION
    rng = np.random.default_rng(seed)
    w = np.zeros(x.shape[1])
    losses = []
    for _ in range(steps):
        losses.append(float(np.mean((x @ w - y) ** 2)))
        rows = rng.integers(len(x), size=8)
        error = x[rows] @ w - y[rows]
        w = w - rate * 2 / 8 * error @ x[rows]
    return w, losses
    ### END SOLUTION


# %% grade="train"
check("train")
'''

PUBLIC = '''\
"""A small line."""

import numpy as np
from autograder.testing import assert_close, assert_falls, expect_tuple, task


@task("train")
def test_a_line(student):
    """The loss falls while a line is fitted."""
    x = np.linspace(-1.0, 1.0, 20)[:, None]
    w, losses = expect_tuple(student.train(x, 3 * x[:, 0], 60, 0.2, 0), "w", "losses")
    assert_falls(losses, to=0.1)
    assert_close(w, np.array([3.0]), what="w", rtol=0.05)
'''

HIDDEN = '''\
"""Random data. No two right loops draw the same rows, so nothing is compared with the reference step by step."""

import numpy as np
import pytest
from autograder.testing import assert_close, assert_exact, assert_falls, expect_tuple, require, task


def data(rng, B=40, C=3):
    x, w = rng.standard_normal((B, C)), rng.uniform(1.0, 2.0, C)
    return x, x @ w, w


def trained(student, *arguments):
    w, losses = expect_tuple(student.train(*arguments), "w", "losses")
    require(isinstance(losses, list) and len(losses) == arguments[2], "losses should be a list, one for each step")
    return w, losses


@task("train", weight=3)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_learns(student, rng, seed):
    """The loss falls, and w comes to what the data were made of."""
    x, y, right = data(rng)
    w, losses = trained(student, x, y, 300, 0.05, seed)
    assert_falls(losses, to=0.01)
    assert_close(w, right, what="w", rtol=1e-2)


@task("train")
def test_first_loss(student, rng):
    """The loss before the first step."""
    x, y, _ = data(rng)
    _, losses = trained(student, x, y, 2, 0.05, 0)
    assert_close(losses[0], float(np.mean(y**2)), what="the first loss")


@task("train")
def test_a_loss_of_all_rows(student, rng):
    """Each loss is the one over all rows, before its step."""
    x, y, _ = data(rng)
    w, _ = trained(student, x, y, 5, 0.05, 3)
    _, losses = trained(student, x, y, 6, 0.05, 3)
    require(isinstance(w, np.ndarray) and w.shape == (3,), "w should be an array of shape (C,)")
    assert_close(losses[5], float(np.mean((x @ w - y) ** 2)), what="the last loss")


@task("train")
def test_one_step(student):
    """The length of one step, on rows that are all alike."""
    x, y = np.ones((6, 2)), np.full(6, 2 / 3)
    w, _ = trained(student, x, y, 1, 0.125, 0)
    assert_close(w, np.array([1 / 6, 1 / 6]), what="w after one step")


@task("train")
def test_the_seed_decides(student, rng):
    """The same seed gives the same losses again, and another seed gives others."""
    x, y, _ = data(rng)
    one, again, other = (trained(student, x, y, 20, 0.05, seed)[1] for seed in (7, 7, 8))
    assert_exact(np.array(again, dtype=float), np.array(one, dtype=float), what="the losses of the same seed")
    require(one != other, "another seed should draw other rows")


@task("train")
def test_inputs_untouched(student, rng):
    """Whether x and y are the same after the call."""
    x, y, _ = data(rng)
    kept = student.put(x), student.put(y)
    student.train(*kept, 5, 0.05, 0)
    assert_exact(student.get(kept[0]), x, what="x after the call")
    assert_exact(student.get(kept[1]), y, what="y after the call")
'''

_TRAIN = """
def train(x, y, steps, rate, seed):
    rng = np.random.default_rng(seed)
    w = np.zeros(x.shape[1])
    losses = []
    for _ in range(steps):
        losses.append(float(np.mean((x @ w - y) ** 2)))
        rows = rng.integers(len(x), size=8)
        error = x[rows] @ w - y[rows]
        w = w - rate * 2 / 8 * error @ x[rows]
    return w, losses
"""


def _wrong(title: str, hint: str, old: str, new: str) -> str:
    assert old in _TRAIN
    head = f'"""{title}"""\n\nimport numpy as np\n\nhint = "{hint}"\nloses = ["train"]\n\n'
    return head + _TRAIN.replace(old, new)


EQUIVALENT = """\
"train: losses.append(float(np.mean((x @ w - y) ** 2))) → losses.append(float(np.mean((x @ w.T - y) ** 2)))" = "w is a vector"
"train: error = x[rows] @ w - y[rows] → error = x[rows] @ w.T - y[rows]" = "w is a vector"
"*: drops axes of length 1 from its result" = "not looked for in this small suite"
"*: is wrong where its first array has an axis of length 1" = "not looked for in this small suite"
"*: is wrong where an argument is 0" = "not looked for in this small suite"
"*: takes its arrays to be contiguous" = "not looked for in this small suite"
"*: takes results below 1e-6 for zero" = "not looked for in this small suite"
"*: remembers results by which object an argument is" = "not looked for in this small suite"
"*: remembers results by the shapes of its arrays" = "not looked for in this small suite"
"*: leaves the modes of NumPy or torch changed" = "the tests cannot see it"
"""  # noqa: E501


FILES = {
    "equivalent.toml": EQUIVALENT,
    "exercise.toml": TOML,
    "notebook.py": NOTEBOOK,
    "test_public.py": PUBLIC,
    "test_hidden.py": HIDDEN,
    "wrong/uphill.py": _wrong("The step follows the gradient.", "Where does it point?", "w - rate", "w + rate"),
    "wrong/seed_ignored.py": _wrong(
        "The seed is built in.", "Who decides about the draws?", "default_rng(seed)", "default_rng(0)"
    ),
    "wrong/loss_of_the_rows.py": _wrong(
        "The loss of the drawn rows is kept.",
        "Over which rows is the mean?",
        "losses.append(float(np.mean((x @ w - y) ** 2)))\n        rows = rng.integers(len(x), size=8)\n",
        "rows = rng.integers(len(x), size=8)\n        losses.append(float(np.mean((x[rows] @ w - y[rows]) ** 2)))\n",
    ),
    "right/permuted.py": '''"""The rows are the first eight of a new order, by another generator."""

import numpy as np


def train(x, y, steps, rate, seed):
    random = np.random.RandomState(seed)
    w, losses = np.zeros(x.shape[1]), []
    for _ in range(steps):
        residue = x @ w - y
        losses.append(float(residue @ residue / len(y)))
        rows = random.choice(len(x), 8)
        w -= rate * 2 * (x[rows] * residue[rows, None]).mean(axis=0)
    return w, losses
''',
}
