"""HIDDEN-SUITE-SECRET: what an attack may never show."""

import numpy as np
import torch

from autograder.testing import assert_close, assert_exact, expect_object, require, task


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


def expect_total(value, parts, what):
    """Each side of an object has to say the same."""
    expect_object(value, "Total", what)
    assert_close(value.value, float(sum(parts)), what=f"the value of {what}")
    require(len(value) == len(parts), f"{what} has another length")
    require(bool(value) == bool(len(parts)), f"{what} is true or false at the wrong time")


@task("total")
def test_total(student, rng):
    """Numbers that are added one after the other"""
    numbers = [float(number) for number in rng.normal(size=4)]
    total = expect_object(student.Total(), "Total", "a new total")
    for place, number in enumerate(numbers):
        expect_total(total, numbers[:place], "the total")
        total.add(number)
    expect_total(total, numbers, "the total")


@task("total")
def test_sum(student, rng):
    """Two totals that are added, and are the same afterwards"""
    one, two = ([float(number) for number in rng.normal(size=size)] for size in (3, 2))
    first, second = student.Total(*one), student.Total(*two)
    expect_total(first + second, [*one, *two], "the sum")
    expect_total(first, one, "the first total")
    require(first == first and first != second, "two totals are not one")


@task("total")
def test_parts(student, rng):
    """The parts, one after the other"""
    numbers = [float(number) for number in rng.normal(size=3)]
    parts = list(student.Total(*numbers))
    require(len(parts) == len(numbers), "there are more or fewer parts")
    for part, number in zip(parts, numbers, strict=True):
        expect_total(part, [number], "a part")
