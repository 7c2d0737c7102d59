"""What functions leave behind in their process, told from their text: rather too much than too little."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from autograder.authoring.memory import Memory, is_fixed, memory_of

NOTHING = [
    "def f(x):\n    return 2 * np.tanh(x)",
    "def f(x, n=3, axes=(0, 1), name='a', flag=-1):\n    return x.sum(axis=axes)",
    "def f(x):\n    y = np.zeros_like(x)\n    y[0] = x[0]\n    y += 1\n    return y",
    "def f(x):\n    x[...] = 0\n    return x",
    "def f(x):\n    caches = []\n    caches.append(x)\n    return caches",
    "def f(x):\n    rng = np.random.default_rng(0)\n    return rng.standard_normal(3) + rng.normal()",
    "def f(x):\n    return np.random.RandomState(0).randn(3)",
    "def f(x):\n    return torch.Generator().manual_seed(0)",
    "def f(name, *arguments):\n    return globals()[name](*arguments)",
    "def f(x):\n    count = 0\n    def g():\n        nonlocal count\n        count += 1\n    g()\n    return count",
    "def f(x):\n    with np.errstate(all='ignore'):\n        return x / 0",
    "class Cache:\n    size = 3\n    def __init__(self, x):\n        self.x = x",
]
NOTHING += [
    "def f(x):\n    kept = {}\n    def g(v):\n        kept[0] = v\n        return v\n    return g(x)",
    "def f(x):\n    y = np.empty(x.shape)\n    y.reshape(-1)[0] = 1\n    return y",
    "def f(x):\n    leaf = x.detach()\n    leaf.requires_grad = True\n    return leaf",
    "@dataclass\nclass Cache:\n    x: float\n    @property\n    def twice(self):\n        return 2 * self.x",
    "def f(x):\n    import torch.nn.functional as F\n    return F.relu(x)",
]
RANDOM = [
    "def f(x):\n    return np.random.randn(3)",
    "def f(x):\n    np.random.seed(0)",
    "def f(x):\n    return np.random.get_state()",
    "def f(x):\n    return torch.rand_like(x)",
    "def f(x):\n    return x.normal_()",
    "def f(x):\n    return torch.nn.Linear(2, 3)",
    "double = lambda x: np.random.rand() * x",
]
ANYTHING = [
    "def f(x, cache={}):\n    cache[0] = x",
    "def f(x, cache=list()):\n    return cache",
    "def f(x):\n    global last\n    last = x",
    "def f(x):\n    cache[0] = x",
    "def f(x):\n    f.last = x",
    "def f(x):\n    np.pi = 3",
    "def f(x):\n    np.ravel(kept)[0] = 3",
    "def f(x):\n    np.seterr(all='raise')",
    "def f(x):\n    torch.set_grad_enabled(False)",
    "def f(x):\n    globals()['last'] = x",
    "def f(x):\n    exec('last = 1')",
    "def f(x):\n    x.__class__.last = 1",
    "def f(x):\n    import sys\n    sys.modules['last'] = x",
    "def f(x):\n    import warnings\n    warnings.simplefilter('ignore')",
    "@lru_cache\ndef f(x):\n    return x",
    "class Cache:\n    all = []",
    "class Cache:\n    def keep(self):\n        type(self).last = 1",
    "class Cache(metaclass=Kept):\n    pass",
]


def memory(source: str) -> Memory:
    return memory_of(ast.parse(dedent(source)).body[0])


@pytest.mark.parametrize("source", NOTHING)
def test_some_functions_leave_nothing_behind(source: str) -> None:
    assert memory(source) is Memory.NOTHING


@pytest.mark.parametrize("source", RANDOM)
def test_some_leave_shared_random_generators_elsewhere(source: str) -> None:
    assert memory(source) is Memory.RANDOM


@pytest.mark.parametrize("source", ANYTHING)
def test_some_may_leave_anything(source: str) -> None:
    assert memory(source) is Memory.ANYTHING


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import numpy as np", True),
        ("from math import pi", True),
        ("import matplotlib.pyplot as plt", False),
        ("import numpy.random", False),
        ("from numpy import random", False),
        ("from torch import *", False),
        ("SIZES = (3, 4.5, 'a', -1)", True),
        ("SIZES = [3]", False),
        ("GENERATOR = np.random.default_rng(0)", False),
        ("size: int = 3", True),
        ("def f(): pass", True),
        ("for n in (1, 2): pass", False),
    ],
)
def test_what_a_name_stands_for_may_change(source: str, expected: bool) -> None:
    assert is_fixed(ast.parse(source).body[0]) is expected
