"""An exercise about a module that students write, and a notebook that imports it: two layers of a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

TOML = """\
title = "Two layers"
submit = ["layers.py"]

[tasks.affine]
title = "The affine layer"
points = 4
functions = ["affine"]
hint = "Which axis of x does W take away, and along which one is b added?"

[tasks.relu]
title = "The rectifier"
points = 2
functions = ["relu"]
not_allowed = ["numpy.maximum"]
instead = "Write the comparison yourself."

[tasks.network]
title = "The network"
points = 4
functions = ["network"]
needs = ["affine", "relu"]
"""

LAYERS = '''\
# %%
"""The layers of a network: write them here. The notebook imports them."""

import numpy as np


# %% task="affine"
def affine(x, W, b):
    """x @ W + b for x of shape (N, D), W of shape (D, H) and b of shape (H,); the arrays must stay as they are."""
    ### BEGIN SOLUTION
    return x @ W + b
    ### END SOLUTION


# %% task="relu"
def relu(x):
    """Each entry of x that is positive, and 0 for the others; x must stay as it is."""
    ### BEGIN SOLUTION
    return np.where(x > 0, x, 0.0)
    ### END SOLUTION
'''

NOTEBOOK = '''\
# %% [markdown]
# # Two layers
#
# Write the layers into `layers.py`, which lies beside this notebook, and hand both in.

# %% setup=true
import numpy as np
from checks import check
from layers import affine, relu

# %% grade="affine"
check("affine")

# %% grade="relu"
check("relu")


# %% task="network"
def network(x, W1, b1, W2, b2):
    """The second affine layer of the rectified first one, for x of shape (N, D); the arrays must stay as they are."""
    ### BEGIN SOLUTION
    return affine(relu(affine(x, W1, b1)), W2, b2)
    ### END SOLUTION


# %% grade="network"
check("network")

# %%
print(network(np.eye(2), np.eye(2), np.zeros(2), np.ones((2, 1)), np.zeros(1)))
'''

PUBLIC = '''\
"""Small numbers."""

import numpy as np
from autograder.testing import assert_close, task

X = np.array([[1.0, -2.0]])


@task("affine")
def test_one_row(student):
    """One row, one column."""
    assert_close(student.affine(X, np.array([[3.0], [1.0]]), np.array([10.0])), np.array([[11.0]]), what="the layer")


@task("relu")
def test_two_signs(student):
    """A positive entry and a negative one."""
    assert_close(student.relu(X), np.array([[1.0, 0.0]]), what="the rectifier")


@task("network")
def test_one_of_each(student):
    """The rectifier between two layers that change nothing."""
    one, nothing = np.eye(2), np.zeros(2)
    assert_close(student.network(X, one, nothing, one, nothing), np.array([[1.0, 0.0]]), what="the network")
'''

HIDDEN = '''\
"""Random layers, against the reference."""

import numpy as np
import pytest
from autograder.testing import assert_close, assert_exact, task

SIZES = [(3, 2, 4, 1.0), (1, 1, 1, 1e3), (1, 3, 1, 1e-9), (4, 1, 2, 0.0)]
shapes = pytest.mark.parametrize(("N", "D", "H", "size"), SIZES)


def check(student, reference, rng, name, size, *shapes):
    """Other numbers of the same shapes, one after the other: results that stay, and arrays that stay as they are."""
    function, right = getattr(student, name), getattr(reference, name)
    inputs = [[size * rng.standard_normal(shape[::-1]).T for shape in shapes] for _ in range(3)]
    kept = [[student.put(one) for one in given] for given in inputs]
    results = [function(*handles) for handles in kept]
    for given, handles, result in zip(inputs, kept, results):
        assert_close(student.get(result), right(*given), what="the result")
        assert_close(function(*given), right(*given), what="the result")
        for handle, before in zip(handles, given):
            assert_exact(student.get(handle), before, what="what it was given")


@task("affine")
@shapes
def test_affine(student, reference, rng, N, D, H, size):
    """Random layers of several shapes and sizes."""
    check(student, reference, rng, "affine", size, (N, D), (D, H), (H,))


@task("relu")
@shapes
def test_relu(student, reference, rng, N, D, H, size):
    """Random entries of several shapes and sizes."""
    check(student, reference, rng, "relu", size, (N, D, H))


@task("network")
@shapes
def test_network(student, reference, rng, N, D, H, size):
    """Random networks of several shapes and sizes."""
    check(student, reference, rng, "network", size, (N, D), (D, H), (H,), (H, 2), (2,))
'''

EQUIVALENT = """\
"relu: return np.where(x > 0, x, 0.0) → return np.where(x >= 0, x, 0.0)" = "at 0 both are 0"
"*: leaves the modes of NumPy or torch changed" = "no function of the setup cell looks for it"
"*: takes its arrays to be contiguous" = "no function of the setup cell makes others"
"*: remembers results by which object an argument is" = "no function of the setup cell writes into one"
"""


def _wrong(title: str, hint: str, loses: str, code: str) -> str:
    return f'"""{title}"""\n\nimport numpy as np\n\nhint = "{hint}"\nloses = {loses}\n\n\n{code}\n'


FILES = {
    "exercise.toml": TOML,
    "layers.py": LAYERS,
    "notebook.py": NOTEBOOK,
    "test_public.py": PUBLIC,
    "test_hidden.py": HIDDEN,
    "equivalent.toml": EQUIVALENT,
    "wrong/bias_forgotten.py": _wrong(
        "The affine layer has no bias.",
        "What does your layer make of an input of zeros?",
        '["affine", "network"]',
        "def affine(x, W, b):\n    return x @ W",
    ),
    "wrong/signs_dropped.py": _wrong(
        "The rectifier takes absolute values.",
        "What becomes of a negative entry in yours?",
        '["relu", "network"]',
        "def relu(x):\n    return np.abs(x)",
    ),
    "wrong/not_rectified.py": _wrong(
        "The network has no rectifier.",
        "Two affine layers, one after the other, are one affine layer. What comes between them?",
        '["network"]',
        "def network(x, W1, b1, W2, b2):\n    return affine(affine(x, W1, b1), W2, b2)",
    ),
    "right/by_hand.py": '''"""The rectifier by a product, the layer by einsum."""

import numpy as np


def affine(x, W, b):
    return np.einsum("nd,dh->nh", x, W) + b


def relu(x):
    return x * (x > 0)
''',
}


def write_two_layers(folder: Path, changes: Mapping[str, str] = MappingProxyType({})) -> Path:
    """The exercise in a folder of its own, `two-layers`. changes: files that are other ones."""
    for name, text in {**FILES, **changes}.items():
        path = folder / "two-layers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "two-layers"
