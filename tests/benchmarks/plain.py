"""A hidden suite's tests called as plain functions, without pytest.

Stock nbgrader runs this text inside the student's kernel, so it needs nothing of this repository: `comparisons` is the
module `checks` there, which holds the same comparisons as `autograder.checks.compare`.
"""

from __future__ import annotations

import copy
import itertools
import types

import numpy as np


class Test:
    """One test on one input."""

    def __init__(self, function, task, weight, arguments):
        self.function, self.task, self.weight, self.arguments = function, task, weight, arguments

    def passes(self, student, reference, seed):
        fixtures = {"student": student, "reference": reference, "rng": np.random.default_rng(seed)}
        wanted = self.function.__code__.co_varnames[: self.function.__code__.co_argcount]
        try:
            self.function(**{name: fixtures[name] for name in wanted if name in fixtures}, **self.arguments)
        except Exception:
            return False
        return True


def load(suite, comparisons):
    """The tests of a suite's text, in its order. The text must not import pytest or `autograder`."""
    tests = []

    def task(name, weight=1):
        def mark(test):
            cases = getattr(test, "cases", [{}])
            tests.extend(Test(test, name, weight, case) for case in cases)
            return test

        return mark

    pytest = types.SimpleNamespace(mark=types.SimpleNamespace(parametrize=_parametrize))
    names = {name: value for name, value in vars(comparisons).items() if not name.startswith("__")}
    exec(compile(suite, "hidden suite", "exec"), {**names, "pytest": pytest, "task": task})
    return tests


def share(tests, task, student, reference):
    """The share of a task's weight that passes. Every test runs, whatever the others came to."""
    mine = [test for test in tests if test.task == task]
    passed = [test.weight * test.passes(student, reference, seed) for seed, test in enumerate(mine)]
    return sum(passed) / sum(test.weight for test in mine)


class Student:
    """What the tests call `student`, for functions that live in the same process."""

    def __init__(self, names):
        self._names = names

    def __getattr__(self, name):
        return self._names[name]

    def put(self, value):
        return copy.deepcopy(value)

    def get(self, value):
        return value

    def gradients(self, name, *arguments, upstream=None):
        import torch

        leaves = [argument.detach().clone().requires_grad_() for argument in arguments]
        result = self._names[name](*leaves)
        upstream = torch.ones_like(result) if upstream is None else upstream
        return result.detach(), torch.autograd.grad(result, leaves, upstream, allow_unused=True)

    def error(self, name, *arguments):
        try:
            self._names[name](*arguments)
        except Exception as error:
            return types.SimpleNamespace(type=type(error).__name__, message=str(error))
        raise AssertionError(f"{name} raised no error")


def _parametrize(names, values, ids=()):
    names = names if isinstance(names, tuple) else (names,)

    def mark(test):
        rows = [dict(zip(names, value if len(names) > 1 else (value,), strict=True)) for value in values]
        test.cases = [{**case, **row} for case, row in itertools.product(getattr(test, "cases", [{}]), rows)]
        return test

    return mark
