"""HIDDEN-SUITE-SECRET: what an attack may never show."""

import numpy as np
import torch

from autograder.testing import assert_close, assert_exact, require, task


@task("double")
def test_double(student, reference, rng):
    """Twice a random array"""
    x = rng.normal(size=(3, 4))
    assert_close(student.double(x), reference.double(x), what="result")


@task("double")
def test_double_keeps_x(student, rng):
    """Twice a random array, and x itself afterwards"""
    x = rng.normal(size=(2, 3))
    there = student.put(x)
    assert_exact(student.double(there), 2 * x, what="result")
    assert_exact(student.get(there), x, what="x")


@task("apply")
def test_apply_uses_what_the_function_says(student, rng):
    """A function whose result is as large as what it is given"""
    x = rng.normal(size=3)
    assert_close(student.apply(x, lambda value: 3 * value), 3 * x + 1, what="result")


@task("apply")
def test_apply(student, rng):
    """A function that is called once"""
    x, calls = rng.normal(size=3), []

    def function(value):
        calls.append(value)
        return x**2

    assert_close(student.apply(x, function), x**2 + 1, what="result")
    require(len(calls) == 1, "the function is to be called once")


@task("square")
def test_square(student, rng):
    """The square of a random tensor, and its gradient for a random upstream gradient"""
    x, upstream = (torch.from_numpy(rng.normal(size=(3, 2))) for _ in range(2))
    result, (gradient,) = student.gradients("square", x, upstream=upstream)
    assert_close(result, x * x, what="result")
    assert_close(gradient, 2 * x * upstream, what="gradient")


@task("square")
def test_square_for_ones(student, rng):
    """The gradient for an all-ones upstream gradient"""
    x = torch.from_numpy(rng.normal(size=(2, 2)))
    result, (gradient,) = student.gradients("square", x)
    assert_close(result, x * x, what="result")
    assert_close(gradient, 2 * x, what="gradient")
