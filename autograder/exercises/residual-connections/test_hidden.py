"""Hidden tests of the residual connections in NumPy, float64 throughout."""

import re

import numpy as np
import pytest

from autograder.testing import (
    assert_close,
    assert_exact,
    assert_printed,
    assert_text,
    expect_bool,
    expect_tuple,
    require,
    task,
)

SHAPES = [(3, 5), (2, 4, 6)]  # (B, C) and (B, T, C)
DEPTHS = [1, 5, 10, 20]

TABLE = """\
 depth N |    no residual |  with residual
--------------------------------------------
       1 |   2.778871e+00 |       8.671100
       5 |   7.579453e-02 |      14.544574
      10 |   1.856928e-03 |      18.981747
      20 |   8.262664e-07 |      25.643279"""

WEAKENED_TABLE = """\
 depth N |    no residual |  with residual
--------------------------------------------
       1 |   4.587620e+00 |       9.791820
       5 |   7.835939e-01 |      19.876091
      10 |   3.116837e-01 |      25.640647
      20 |   4.715495e-02 |      55.816295"""


def draw(rng, shape, matrices=1):
    """An input, an upstream gradient and weights that keep tanh well in its curved part."""
    C = shape[-1]
    weights = [rng.standard_normal((C, C)) / np.sqrt(C) for _ in range(matrices)]
    return rng.standard_normal(shape), rng.standard_normal(shape), *weights


def branch_that_returns(result):
    """A sublayer that returns `result` whatever it is given, and the list of what it was given."""
    calls = []

    def sublayer(*arguments):
        calls.append(arguments)
        return result

    return sublayer, calls


def numbers_in(table):
    """The decimal numbers of a table's text, row by row, as text."""
    require(type(table) is str, "the table should be a string")
    require(len(table) < 10_000, "the table should be a few lines, yours is very long")
    return re.findall(r"(?<!\d)\d+\.\d+(?:[eE][+-]?\d+)?", table)


def assert_table_numbers(actual, expected):
    printed = numbers_in(expected)
    found = numbers_in(actual)
    require(
        len(found) == len(printed),
        f"the table should hold {len(printed)} decimal numbers, yours holds {len(found)}",
    )
    for place, (mine, wanted) in enumerate(zip(found, printed)):
        column = ("plain", "residual")[place % 2]
        assert_printed(float(mine), wanted, what=f"row {place // 2 + 1}, {column} column")


def assert_names_both_shapes(raised, x, result):
    """`raised` is a ValueError whose message holds the numbers of both shapes."""
    require(
        raised.type == "ValueError",
        f"a sublayer's result of shape {result.shape} for x of shape {x.shape} should raise "
        f"ValueError, yours raises {raised.type}",
    )
    message = " ".join(re.findall(r"\d+", raised.message))
    for array in (x, result):
        digits = " ".join(map(str, array.shape))
        require(digits in message, f"the message should name the shape {array.shape}")


# --- residual ---


@task("residual")
@pytest.mark.parametrize("shape", SHAPES)
def test_residual_adds(student, rng, shape):
    """The sum for a random input and a random result of the sublayer."""
    x, branch = rng.standard_normal((2, *shape))
    sublayer, _ = branch_that_returns(branch)
    assert_close(student.residual(x, sublayer), x + branch, what="out")


@task("residual")
def test_residual_calls_once(student, rng):
    """What the sublayer is given, and how often."""
    x = rng.standard_normal((3, 5))
    sublayer, calls = branch_that_returns(np.ones((3, 5)))
    student.residual(x, sublayer)
    require(len(calls) == 1, f"the sublayer should be called once, you call it {len(calls)} times")
    require(len(calls[0]) == 1, "the sublayer should be called with one argument")
    assert_exact(calls[0][0], x, what="what the sublayer is given")


@task("residual")
@pytest.mark.parametrize("shape", SHAPES)
def test_residual_identity(student, rng, shape):
    """A sublayer that returns zeros: the input must come back exactly."""
    x = rng.standard_normal(shape)
    sublayer, _ = branch_that_returns(np.zeros(shape))
    assert_exact(student.residual(x, sublayer), x, what="out")


@task("residual")
def test_residual_leaves_x(student, rng):
    """Whether x is the same after the call, and the sum is right all the same."""
    x, branch = rng.standard_normal((2, 3, 5))
    kept = student.put(x)
    sublayer, _ = branch_that_returns(branch)
    assert_close(student.residual(kept, sublayer), x + branch, what="out")
    assert_exact(student.get(kept), x, what="x after the call")


@task("residual")
def test_residual_refuses_loud_shapes(student, rng):
    """A sublayer whose result NumPy could not add to x."""
    x, result = rng.standard_normal((3, 5)), rng.standard_normal((3, 4))
    sublayer, _ = branch_that_returns(result)
    assert_names_both_shapes(student.error("residual", x, sublayer), x, result)


@task("residual")
@pytest.mark.parametrize(("shape", "returned"), [((3, 5), (3, 1)), ((2, 4, 6), (4, 1)), ((3, 5), (2, 1, 5))])
def test_residual_refuses_silent_shapes(student, rng, shape, returned):
    """A sublayer whose result has another shape than x, though NumPy would add the two."""
    x, result = rng.standard_normal(shape), rng.standard_normal(returned)
    sublayer, _ = branch_that_returns(result)
    assert_names_both_shapes(student.error("residual", x, sublayer), x, result)


# --- residual_gradient ---


@task("residual_gradient")
@pytest.mark.parametrize("shape", [*SHAPES, (7,)])
def test_gradient_joins(student, rng, shape):
    """Random gradients from both roads."""
    dout, df = rng.standard_normal((2, *shape))
    assert_close(student.residual_gradient(dout, df), dout + df, what="dx")


@task("residual_gradient")
def test_gradient_silent_branch(student, rng):
    """A branch that sends nothing back: all ones first, then a random upstream gradient."""
    for dout in (np.ones((3, 5)), rng.standard_normal((3, 5))):
        assert_exact(student.residual_gradient(dout, np.zeros((3, 5))), dout, what="dx")


@task("residual_gradient")
def test_gradient_leaves_arguments(student, rng):
    """Whether both gradients are the same after the call."""
    dout, df = rng.standard_normal((2, 3, 5))
    kept = student.put(dout), student.put(df)
    assert_close(student.residual_gradient(*kept), dout + df, what="dx")
    assert_exact(student.get(kept[0]), dout, what="dout after the call")
    assert_exact(student.get(kept[1]), df, what="df after the call")


# --- sublayer ---


def sublayer_backward(student, x, W, dout):
    _, cache = expect_tuple(student.sublayer_forward(x, W), "a", "cache")
    return student.sublayer_backward(dout, cache, W)


@task("sublayer")
@pytest.mark.parametrize("shape", SHAPES)
def test_sublayer_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    x, _, W = draw(rng, shape)
    a, _ = expect_tuple(student.sublayer_forward(x, W), "a", "cache")
    assert_close(a, reference.sublayer_forward(x, W)[0], what="a")


@task("sublayer")
@pytest.mark.parametrize("shape", SHAPES)
def test_sublayer_backward(student, reference, rng, shape):
    """The backward pass for a random upstream gradient."""
    x, dout, W = draw(rng, shape)
    _, cache = reference.sublayer_forward(x, W)
    expected = reference.sublayer_backward(dout, cache, W)
    assert_close(sublayer_backward(student, x, W, dout), expected, what="dx")


@task("sublayer")
def test_sublayer_backward_measured(student, reference, rng):
    """The backward pass against finite differences, for an all-ones and a random gradient."""
    x, random, W = draw(rng, (2, 3))
    for dout in (np.ones((2, 3)), random):
        measured = reference.numerical_gradient(
            lambda v, dout=dout: np.sum(dout * reference.sublayer_forward(v, W)[0]), x
        )
        assert_close(sublayer_backward(student, x, W, dout), measured, what="dx", rtol=1e-4)


@task("sublayer")
def test_sublayer_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes."""
    passes = [draw(rng, (3, 5)) for _ in range(2)]
    caches = []
    for x, _, W in passes:
        _, cache = expect_tuple(student.sublayer_forward(x, W), "a", "cache")
        caches.append(cache)
    for (x, dout, W), cache in zip(passes, caches):
        expected = reference.sublayer_backward(dout, reference.sublayer_forward(x, W)[1], W)
        assert_close(student.sublayer_backward(dout, cache, W), expected, what="dx")


@task("sublayer")
def test_sublayer_leaves_arguments(student, reference, rng):
    """Whether x, W and dout are the same after both passes, and dx is right all the same."""
    x, dout, W = draw(rng, (3, 5))
    kept_x, kept_dout, kept_W = student.put(x), student.put(dout), student.put(W)
    dx = sublayer_backward(student, kept_x, kept_W, kept_dout)
    expected = reference.sublayer_backward(dout, reference.sublayer_forward(x, W)[1], W)
    assert_close(dx, expected, what="dx")
    assert_exact(student.get(kept_x), x, what="x after both passes")
    assert_exact(student.get(kept_W), W, what="W after both passes")
    assert_exact(student.get(kept_dout), dout, what="dout after both passes")


# --- run_stack ---


@task("run_stack")
@pytest.mark.parametrize("skip", [False, True])
def test_stack_of_the_lesson(student, reference, skip):
    """The norms of the lesson's table, as numbers."""
    Ws = reference.weight_bank(0.5)
    printed = numbers_in(TABLE)[int(skip) :: 2]
    for N, wanted in zip(DEPTHS, printed):
        assert_printed(student.run_stack(N, skip, Ws), wanted, what=f"the norm at depth {N}")


@task("run_stack", weight=2)
@pytest.mark.parametrize("skip", [False, True])
def test_stack_of_other_weights(student, reference, skip):
    """Other weights and depths, with more weights than layers."""
    for scale, seed in ((0.9, 7), (1.3, 3)):
        Ws = reference.weight_bank(scale, 16, 9, seed)
        for N in (1, 2, 4, 9):
            norm = student.run_stack(N, skip, Ws)
            assert_close(norm, reference.run_stack(N, skip, Ws), what=f"the norm at depth {N}")


@task("run_stack")
def test_stack_repeats(student, reference):
    """The same measurement several times, with others in between."""
    Ws = reference.weight_bank(0.7, 16, 5, 11)
    for N in (3, 5, 3, 3):
        norm = student.run_stack(N, True, Ws)
        assert_close(norm, reference.run_stack(N, True, Ws), what=f"the norm at depth {N}")


@task("run_stack")
def test_stack_without_weights(student):
    """Weights that are all zero."""
    Ws = [np.zeros((16, 16))] * 4
    assert_close(student.run_stack(4, True, Ws), 8.0, what="the norm with skip paths")
    assert_close(student.run_stack(4, False, Ws), 0.0, what="the norm without skip paths")


@task("run_stack")
def test_stack_leaves_weights(student, reference):
    """Whether the list of weights is the same after the call, and the norm is right."""
    Ws = reference.weight_bank(0.8, 16, 4, 5)
    kept = student.put(Ws)
    norm = student.run_stack(3, True, kept)
    assert_close(norm, reference.run_stack(3, True, Ws), what="the norm")
    after = expect_tuple(student.get(kept), *(f"Ws[{i}]" for i in range(4)))
    for i, (mine, W) in enumerate(zip(after, Ws)):
        assert_exact(mine, W, what=f"Ws[{i}] after the call")


# --- gradient_table ---


def assert_bank(actual, expected):
    bank = expect_tuple(actual, *(f"W{i}" for i in range(len(expected))))
    for i, (mine, W) in enumerate(zip(bank, expected)):
        assert_close(mine, W, what=f"matrix {i} of the bank")


@task("gradient_table")
def test_bank_of_the_lesson(student, reference):
    """The lesson's weights, made twice."""
    expected = reference.weight_bank(0.5)
    assert_bank(student.weight_bank(0.5), expected)
    assert_bank(student.weight_bank(0.5), expected)


@task("gradient_table")
@pytest.mark.parametrize("arguments", [(0.9, 16, 4, 42), (1.3, 5, 3, 7), (0.1, 9, 2, 0)])
def test_bank_of_other_arguments(student, reference, arguments):
    """Weights of another scale, width, number and seed."""
    assert_bank(student.weight_bank(*arguments), reference.weight_bank(*arguments))


@task("gradient_table")
def test_table_of_the_lesson(student, reference):
    """The lesson's table, byte for byte."""
    table = student.gradient_table(reference.weight_bank(0.5), DEPTHS)
    assert_text(table, TABLE, what="the table")


@task("gradient_table")
def test_table_header(student, reference):
    """The first two lines of a table, byte for byte, and how many lines follow."""
    table = student.gradient_table(reference.weight_bank(0.6, 16, 4, 1), [4, 2])
    require(type(table) is str, "the table should be a string")
    lines = table.splitlines()
    assert_text("\n".join(lines[:2]), "\n".join(TABLE.splitlines()[:2]), what="the first two lines")
    require(len(lines) == 4, f"two depths make a table of 4 lines, yours has {len(lines)}")


@task("gradient_table")
def test_table_numbers(student, reference):
    """The numbers in the table of another bank, whatever the layout."""
    Ws, depths = reference.weight_bank(0.9, 16, 7, 3), [7, 1, 4]
    expected = reference.gradient_table(Ws, depths)
    assert_table_numbers(student.gradient_table(Ws, depths), expected)


@task("gradient_table", weight=2)
def test_table_of_other_weights(student, reference):
    """The table of other weights and depths, byte for byte."""
    Ws, depths = reference.weight_bank(0.7, 16, 12, 5), [2, 12, 3]
    expected = reference.gradient_table(Ws, depths)
    assert_text(student.gradient_table(Ws, depths), expected, what="the table")


# --- residual_pair ---


def pair_backward(student, x, W, dout):
    _, cache = expect_tuple(student.residual_forward(x, W), "out", "cache")
    return student.residual_backward(dout, cache)


@task("residual_pair")
@pytest.mark.parametrize("shape", SHAPES)
def test_pair_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    x, _, W = draw(rng, shape)
    out, _ = expect_tuple(student.residual_forward(x, W), "out", "cache")
    assert_close(out, reference.residual_forward(x, W)[0], what="out")


@task("residual_pair")
@pytest.mark.parametrize("shape", SHAPES)
def test_pair_backward(student, reference, rng, shape):
    """The backward pass for a random upstream gradient."""
    x, dout, W = draw(rng, shape)
    expected = reference.residual_backward(dout, reference.residual_forward(x, W)[1])
    assert_close(pair_backward(student, x, W, dout), expected, what="dx")


@task("residual_pair")
def test_pair_measured(student, reference, rng):
    """The backward pass against finite differences, for an all-ones and a random gradient."""
    x, random, W = draw(rng, (2, 3))
    for dout in (np.ones((2, 3)), random):
        measured = reference.numerical_gradient(
            lambda v, dout=dout: np.sum(dout * reference.residual_forward(v, W)[0]), x
        )
        assert_close(pair_backward(student, x, W, dout), measured, what="dx", rtol=1e-4)


@task("residual_pair")
def test_pair_identity(student, rng):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, random, _ = draw(rng, (3, 5))
    W = np.zeros((5, 5))
    for dout in (np.ones((3, 5)), random):
        out, cache = expect_tuple(student.residual_forward(x, W), "out", "cache")
        assert_exact(out, x, what="out")
        assert_exact(student.residual_backward(dout, cache), dout, what="dx")


@task("residual_pair")
def test_pair_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes."""
    passes = [draw(rng, (3, 5)) for _ in range(2)]
    caches = []
    for x, _, W in passes:
        _, cache = expect_tuple(student.residual_forward(x, W), "out", "cache")
        caches.append(cache)
    for (x, dout, W), cache in zip(passes, caches):
        expected = reference.residual_backward(dout, reference.residual_forward(x, W)[1])
        assert_close(student.residual_backward(dout, cache), expected, what="dx")


@task("residual_pair")
def test_pair_leaves_arguments(student, reference, rng):
    """Whether x, W and dout are the same after both passes, and dx is right all the same."""
    x, dout, W = draw(rng, (3, 5))
    kept_x, kept_dout, kept_W = student.put(x), student.put(dout), student.put(W)
    dx = pair_backward(student, kept_x, kept_W, kept_dout)
    expected = reference.residual_backward(dout, reference.residual_forward(x, W)[1])
    assert_close(dx, expected, what="dx")
    assert_exact(student.get(kept_x), x, what="x after both passes")
    assert_exact(student.get(kept_W), W, what="W after both passes")
    assert_exact(student.get(kept_dout), dout, what="dout after both passes")


# --- gradient_check ---


def scalar_function(f, x):
    """f as a function for the student, and the list of the points at which it was asked.

    Away from x's shape it answers NaN, which no right gradient contains.
    """
    points = []

    def call(*arguments):
        point = arguments[0] if len(arguments) == 1 else None
        if type(point) is not np.ndarray or point.shape != x.shape or point.dtype != x.dtype:
            return float("nan")
        points.append(point)
        return float(f(point))

    return call, points


@task("gradient_check")
@pytest.mark.parametrize("shape", [(4,), *SHAPES])
def test_numerical_gradient_with_a_large_step(student, reference, rng, shape):
    """The numerical gradient of a cubic function for a step of 0.1."""
    x, weights = rng.standard_normal((2, *shape))

    def cubic(v):
        return np.sum(weights * v**3)

    f, _ = scalar_function(cubic, x)
    expected = reference.numerical_gradient(cubic, x, 0.1)
    assert_close(student.numerical_gradient(f, x, 0.1), expected, what="the gradient")


@task("gradient_check")
def test_numerical_gradient_with_the_usual_step(student, rng):
    """The numerical gradient of a sum of sines without naming a step, and where it looked."""
    x, weights = rng.standard_normal((2, 3, 4))
    f, points = scalar_function(lambda v: np.sum(weights * np.sin(v)), x)
    gradient = student.numerical_gradient(f, x)
    assert_close(gradient, weights * np.cos(x), what="the gradient", rtol=1e-4)
    steps = [float(np.max(np.abs(point - x))) for point in points]
    require(
        all(step < 1.01e-6 for step in steps) and any(step > 0.99e-6 for step in steps),
        "without an argument for it, the step should be 1e-6 to either side of x",
    )


@task("gradient_check")
def test_numerical_gradient_leaves_x(student, rng):
    """Whether x is the same after the call, and the gradient is right all the same."""
    x = rng.standard_normal((3, 4))
    kept = student.put(x)
    f, _ = scalar_function(lambda v: np.sum(v**2), x)
    assert_close(student.numerical_gradient(f, kept), 2 * x, what="the gradient", rtol=1e-4)
    assert_close(student.get(kept), x, what="x after the call")


@task("gradient_check")
@pytest.mark.parametrize("shape", [(5,), *SHAPES])
def test_relative_error(student, reference, rng, shape):
    """The largest relative error of two random arrays, in both orders."""
    a = rng.standard_normal(shape)
    b = a * (1 + 0.1 * rng.standard_normal(shape))
    expected = reference.max_relative_error(a, b)
    assert_close(student.max_relative_error(a, b), expected, what="the error of a and b")
    assert_close(student.max_relative_error(b, a), expected, what="the error of b and a")


@task("gradient_check")
def test_relative_error_of_small_entries(student):
    """Arrays of zeros, and arrays with tiny entries."""
    zeros = np.zeros((2, 3))
    assert_close(student.max_relative_error(zeros, zeros), 0.0, what="the error of zeros")
    a, b = np.array([3e-12, 0.0, 2.0]), np.array([1e-12, 0.0, 2.0])
    assert_close(student.max_relative_error(a, b), 0.4, what="the error of tiny entries")
    assert_close(student.max_relative_error(-a, a), 1.0, what="the error of opposite signs")


@task("gradient_check")
def test_check_passes_a_right_pair(student, reference):
    """Both functions together, on a right residual block and on a wrong one."""
    rng = np.random.default_rng(42)
    x, W = rng.standard_normal((3, 8)), rng.standard_normal((8, 8)) / np.sqrt(8)
    for dout in (np.ones((3, 8)), rng.standard_normal((3, 8))):
        f, _ = scalar_function(lambda v, dout=dout: np.sum(dout * reference.residual_forward(v, W)[0]), x)
        measured = student.numerical_gradient(f, x)
        derived = reference.residual_backward(dout, reference.residual_forward(x, W)[1])
        assert_close(measured, derived, what="the measured gradient", rtol=1e-4)
        for gradient, right in ((derived, True), (derived - dout, False)):
            error = student.max_relative_error(gradient, measured)
            assert_close(error, reference.max_relative_error(gradient, measured), what="the error")
            require((error < 1e-4) == right, "the check should tell right gradients from wrong")


# --- exercise_1 ---


@task("exercise_1")
def test_weakened_numbers(student):
    """The numbers of the new table, whatever the layout."""
    assert_table_numbers(student.weakened_table(), WEAKENED_TABLE)


@task("exercise_1")
def test_weakened_text(student):
    """The new table, byte for byte."""
    assert_text(student.weakened_table(), WEAKENED_TABLE, what="the table")


@task("exercise_1")
def test_weakened_answers(student):
    """The two answers about the new table."""
    answers = expect_tuple(student.weakened_answers(), "plain_decays", "residual_healthy")
    for name, column, answer in zip(("plain_decays", "residual_healthy"), (1, 2), answers):
        require(
            expect_bool(answer, what=name),
            f"{name}: read number column {column} of the new table once more, top to bottom",
        )


# --- exercise_2 ---


def two_backward(student, x, W_f, W_g, dout):
    _, cache = expect_tuple(student.two_residual_forward(x, W_f, W_g), "out", "cache")
    return student.two_residual_backward(dout, cache)


@task("exercise_2")
@pytest.mark.parametrize("shape", SHAPES)
def test_two_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    x, _, W_f, W_g = draw(rng, shape, 2)
    out, _ = expect_tuple(student.two_residual_forward(x, W_f, W_g), "out", "cache")
    assert_close(out, reference.two_residual_forward(x, W_f, W_g)[0], what="out")


@task("exercise_2")
@pytest.mark.parametrize("shape", SHAPES)
def test_two_backward(student, reference, rng, shape):
    """The backward pass for a random upstream gradient."""
    x, dout, W_f, W_g = draw(rng, shape, 2)
    cache = reference.two_residual_forward(x, W_f, W_g)[1]
    expected = reference.two_residual_backward(dout, cache)
    assert_close(two_backward(student, x, W_f, W_g, dout), expected, what="dx")


@task("exercise_2")
def test_two_measured(student, reference, rng):
    """The backward pass against finite differences, for an all-ones and a random gradient."""
    x, random, W_f, W_g = draw(rng, (2, 3), 2)
    for dout in (np.ones((2, 3)), random):
        measured = reference.numerical_gradient(
            lambda v, dout=dout: np.sum(dout * reference.two_residual_forward(v, W_f, W_g)[0]), x
        )
        dx = two_backward(student, x, W_f, W_g, dout)
        assert_close(dx, measured, what="dx", rtol=1e-4)


@task("exercise_2")
def test_two_identity(student, rng):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, random, _ = draw(rng, (3, 5))
    W = np.zeros((5, 5))
    for dout in (np.ones((3, 5)), random):
        out, cache = expect_tuple(student.two_residual_forward(x, W, W), "out", "cache")
        assert_exact(out, x, what="out")
        assert_exact(student.two_residual_backward(dout, cache), dout, what="dx")


@task("exercise_2")
def test_two_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes."""
    passes = [draw(rng, (3, 5), 2) for _ in range(2)]
    caches = []
    for x, _, W_f, W_g in passes:
        out = student.two_residual_forward(x, W_f, W_g)
        caches.append(expect_tuple(out, "out", "cache")[1])
    for (x, dout, W_f, W_g), cache in zip(passes, caches):
        expected = reference.two_residual_backward(dout, reference.two_residual_forward(x, W_f, W_g)[1])
        assert_close(student.two_residual_backward(dout, cache), expected, what="dx")


@task("exercise_2")
def test_two_leaves_arguments(student, reference, rng):
    """Whether the arguments are the same after both passes, and dx is right all the same."""
    x, dout, W_f, W_g = draw(rng, (3, 5), 2)
    kept = [student.put(value) for value in (x, W_f, W_g, dout)]
    dx = two_backward(student, *kept)
    cache = reference.two_residual_forward(x, W_f, W_g)[1]
    assert_close(dx, reference.two_residual_backward(dout, cache), what="dx")
    for name, value, handle in zip(("x", "W_f", "W_g", "dout"), (x, W_f, W_g, dout), kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")


# --- exercise_3 ---


def assert_ratios(actual, expected, depths):
    ratios = expect_tuple(actual, *(f"depth {N}" for N in depths))
    for N, ratio, wanted in zip(depths, ratios, expected):
        assert_close(ratio, wanted, what=f"the ratio at depth {N}")


@task("exercise_3")
def test_ratios_of_the_lesson(student, reference):
    """The ratios for the lesson's weights, as numbers."""
    Ws = reference.weight_bank(0.5)
    ratios = expect_tuple(student.preservation_ratios(Ws, DEPTHS), *map(str, DEPTHS))
    for N, ratio, wanted in zip(DEPTHS, ratios, ("1.083888", "1.818072", "2.372718", "3.205410")):
        assert_printed(ratio, wanted, what=f"the ratio at depth {N}")


@task("exercise_3", weight=2)
def test_ratios_of_other_weights(student, reference):
    """The ratios for other weights, at depths in no particular order."""
    for scale, seed, depths in ((0.9, 3, [6, 2, 2, 5]), (0.2, 8, [1]), (1.2, 4, [3, 7])):
        Ws = reference.weight_bank(scale, 16, 7, seed)
        expected = reference.preservation_ratios(Ws, depths)
        assert_ratios(student.preservation_ratios(Ws, depths), expected, depths)


@task("exercise_3")
def test_ratios_without_weights(student):
    """The ratios where all weights are zero."""
    Ws = [np.zeros((16, 16))] * 3
    assert_ratios(student.preservation_ratios(Ws, [1, 3]), [1.0, 1.0], [1, 3])
