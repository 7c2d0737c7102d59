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
THIN_SHAPES = [(1, 5), (1, 1, 4), (1, 3, 5), (3, 1, 5), (3, 1), (1, 1)]
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


def in_double(value):
    """A float32 array as float64, for tests that are not about the dtype."""
    return value.astype(float) if isinstance(value, np.ndarray) and value.dtype == np.float32 else value


def branch_that_returns(result):
    """A sublayer that returns `result` whatever it is given, and the list of what it was given."""
    calls = []

    def sublayer(*arguments):
        calls.append(arguments)
        return result

    return sublayer, calls


def draw_bank(rng, n, scale=1.0):
    """Weights for stacks, drawn otherwise than the bank of the lesson."""
    return list(rng.standard_normal((n, 16, 16)) * (scale / 4))


def bank_of_each_depth(rng):
    """Hardly any depths, each with just the weights that it takes, of which one entry is large."""
    Ws = draw_bank(rng, 2)
    Ws[0][0, 0] = 8.0
    for depths in ([1], [2], []):
        yield depths, Ws[: sum(depths)]


def same_but_for_the_first(x, rng):
    """Other numbers for x, but for the first entry."""
    new = rng.standard_normal(x.shape)
    new.flat[0] = x.flat[0]
    return new


def assert_modes_kept(student, name, *arguments, random_numbers=True):
    getattr(student, name)(*arguments)
    errors, numbers = expect_tuple(student.modes_after(name, *arguments), "error handling", "random numbers")
    require(not expect_bool(errors), "NumPy's error handling should be after the call as it was before")
    require(
        not (expect_bool(numbers) and random_numbers),
        "NumPy's random numbers should go on as if there had been no call",
    )


def assert_unchanged(student, handle, values, what):
    """A list in the student's process still holds these values, as many and in this order."""
    after = student.get(handle)
    require(type(after) is list, f"{what} should still be a list after the call")
    require(len(after) == len(values), f"{what} had {len(values)} entries, after the call it has {len(after)}")
    for i, (mine, value) in enumerate(zip(after, values)):
        assert_exact(mine, value, what=f"{what}[{i}] after the call")


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


# --- residual ---


@task("residual", weight=15)
@pytest.mark.parametrize("shape", SHAPES)
def test_residual_adds(student, rng, shape):
    """The sum for a random input and a random result of the sublayer."""
    x, branch = rng.standard_normal((2, *shape))
    sublayer, _ = branch_that_returns(branch)
    assert_close(student.residual(x, sublayer), x + branch, what="out")


@task("residual", weight=10)
def test_residual_axes_of_length_one(student, rng):
    """A batch of one, a sequence of one, a single channel."""
    for shape in THIN_SHAPES:
        x, branch = rng.standard_normal((2, *shape))
        sublayer, _ = branch_that_returns(branch)
        assert_close(student.residual(x, sublayer), x + branch, what=f"out for x of shape {shape}")


@task("residual", weight=8)
def test_residual_calls_once(student, rng):
    """What the sublayer is given, and how often."""
    x = rng.standard_normal((3, 5))
    sublayer, calls = branch_that_returns(np.ones((3, 5)))
    student.residual(x, sublayer)
    require(len(calls) == 1, f"the sublayer should be called once, you call it {len(calls)} times")
    require(len(calls[0]) == 1, "the sublayer should be called with one argument")
    assert_exact(calls[0][0], x, what="what the sublayer is given")


@task("residual", weight=5)
@pytest.mark.parametrize("shape", SHAPES)
def test_residual_identity(student, rng, shape):
    """A sublayer that returns zeros: the input must come back exactly."""
    x = rng.standard_normal(shape)
    sublayer, _ = branch_that_returns(np.zeros(shape))
    assert_exact(student.residual(x, sublayer), x, what="out")


@task("residual", weight=12)
def test_residual_leaves_x(student, rng):
    """Whether x is the same after the call, and the sum is right all the same."""
    x, branch = rng.standard_normal((2, 3, 5))
    kept = student.put(x)
    sublayer, _ = branch_that_returns(branch)
    assert_close(student.residual(kept, sublayer), x + branch, what="out")
    assert_exact(student.get(kept), x, what="x after the call")
    assert_modes_kept(student, "residual", kept, sublayer)


@task("residual", weight=12)
def test_residual_of_a_sublayer_that_does_nothing(student, rng):
    """A sublayer that returns its argument itself: what comes out, and whether x is the same after the call."""
    x = rng.standard_normal((3, 5))
    kept = student.put(x)
    assert_close(student.residual(kept, lambda v: v), 2 * x, what="out")
    assert_exact(student.get(kept), x, what="x after the call")


@task("residual", weight=8)
def test_residual_not_contiguous(student, rng):
    """An x that is not contiguous: transposed in memory, or every other entry of something larger."""
    x, branch = rng.standard_normal((2, 2, 3, 4))
    for layout in ("columns", "steps"):
        sublayer, _ = branch_that_returns(branch)
        out = student.residual(student.laid_out(x, layout), sublayer)
        assert_close(out, x + branch, what=f"out in {layout}")


@task("residual", weight=8)
def test_residual_again(student, rng):
    """The same x twice, with other numbers in it the second time."""
    x, branch = rng.standard_normal((2, 3, 5))
    kept, new = student.put(x), same_but_for_the_first(x, rng)
    sublayer, _ = branch_that_returns(branch)
    out = student.residual(kept, sublayer)
    first = student.put(out)
    assert_close(out, x + branch, what="out the first time")
    for numbers in (100 * new, np.zeros((3, 5))):
        student.overwrite(kept, numbers)
        assert_close(student.residual(kept, sublayer), numbers + branch, what="out for other numbers")
    assert_exact(student.get(first), out, what="the first out after the other calls")


def refusal(student, rng, shape, returned):
    """The error for a sublayer that returns another shape, once one that returns the same is accepted."""
    x, right, result = rng.standard_normal(shape), rng.standard_normal(shape), rng.standard_normal(returned)
    student.residual(x, branch_that_returns(right)[0])
    return student.error("residual", x, branch_that_returns(result)[0])


@task("residual", weight=8)
def test_residual_refuses_silent_shapes(student, rng):
    """Sublayers that lose an axis or all channels: NumPy would add their results without a word."""
    for shape, returned in (((3, 5), (3, 1)), ((2, 4, 6), (4, 1)), ((3, 5), (5,)), ((2, 4, 6), (2, 4, 1))):
        refusal(student, rng, shape, returned)


@task("residual", weight=8)
def test_residual_refuses_shapes_that_are_nearly_right(student, rng):
    """Sublayers whose result has the size, the ends or the last axis of x, but not its shape."""
    cases = [
        ((3, 5), (1, 3, 5)),
        ((3, 5), (2, 1, 5)),
        ((2, 4, 6), (2, 1, 6)),
        ((1, 5), (3, 5)),
        ((3, 5), (1, 5)),
        ((1, 5), (5,)),
        ((2, 3, 4), (3, 2, 4)),
    ]
    for shape, returned in cases:
        refusal(student, rng, shape, returned)


@task("residual", weight=4)
def test_residual_raises_value_error(student, rng):
    """The type of the error for a sublayer whose result has another shape than x."""
    raised = refusal(student, rng, (3, 5), (3, 4))
    require(raised.type == "ValueError", f"it should be a ValueError, yours is {raised.type}")


@task("residual", weight=2)
@pytest.mark.parametrize(("shape", "returned"), [((3, 5), (3, 1)), ((2, 4, 6), (4, 1))])
def test_residual_names_both_shapes(student, rng, shape, returned):
    """What the error for a wrong shape says."""
    message = " ".join(re.findall(r"\d+", refusal(student, rng, shape, returned).message))
    for one in (shape, returned):
        require(" ".join(map(str, one)) in message, f"the message should name the shape {one}")


# --- residual_gradient ---


@task("residual_gradient", weight=20)
@pytest.mark.parametrize("shape", [*SHAPES, (7,)])
def test_gradient_joins(student, rng, shape):
    """Random gradients from both roads."""
    dout, df = rng.standard_normal((2, *shape))
    assert_close(student.residual_gradient(dout, df), dout + df, what="dx")


@task("residual_gradient", weight=15)
def test_gradient_silent_branch(student, rng):
    """A branch that sends nothing back: all ones first, then a random upstream gradient."""
    for dout in (np.ones((3, 5)), rng.standard_normal((3, 5))):
        assert_exact(student.residual_gradient(dout, np.zeros((3, 5))), dout, what="dx")


@task("residual_gradient", weight=16)
def test_gradient_axes_of_length_one(student, rng):
    """Gradients with axes of length one, and far larger and smaller ones."""
    for shape, size in zip(THIN_SHAPES, (1.0, 1e-9, 1e9, 1.0, 1.0, 1.0)):
        dout, df = size * rng.standard_normal((2, *shape))
        assert_close(student.residual_gradient(dout, df), dout + df, what=f"dx for the shape {shape}")


@task("residual_gradient", weight=15)
def test_gradient_leaves_arguments(student, rng):
    """Whether both gradients are the same after the call."""
    dout, df = rng.standard_normal((2, 3, 5))
    kept = student.put(dout), student.put(df)
    assert_close(student.residual_gradient(*kept), dout + df, what="dx")
    assert_exact(student.get(kept[0]), dout, what="dout after the call")
    assert_exact(student.get(kept[1]), df, what="df after the call")
    assert_modes_kept(student, "residual_gradient", *kept)


@task("residual_gradient", weight=8)
def test_gradient_of_two_equal_roads(student, rng):
    """The same array from both roads, twice, with other numbers in it the second time."""
    dout = rng.standard_normal((3, 5))
    kept, new = student.put(dout), same_but_for_the_first(dout, rng)
    dx = student.residual_gradient(kept, kept)
    first = student.put(dx)
    assert_close(dx, 2 * dout, what="dx")
    student.overwrite(kept, new)
    assert_close(student.residual_gradient(kept, kept), 2 * new, what="dx the second time")
    assert_exact(student.get(first), dx, what="the first dx after the second call")


@task("residual_gradient", weight=12)
def test_gradient_not_contiguous(student, rng):
    """Gradients that are not contiguous, and all ones of which NumPy keeps a single one."""
    dout, df = rng.standard_normal((2, 2, 3, 4))
    for layout in ("columns", "steps"):
        views = student.laid_out(dout, layout), student.laid_out(df, layout)
        assert_close(student.residual_gradient(*views), dout + df, what=f"dx in {layout}")
    ones = np.ones((2, 3, 4))
    dx = student.residual_gradient(student.laid_out(ones, "repeated"), df)
    assert_close(dx, ones + df, what="dx for all ones")


# --- sublayer ---


def sublayer_forward(student, x, W):
    return expect_tuple(student.sublayer_forward(x, W), "a", "cache")


def sublayer_backward(student, x, W, dout):
    _, cache = sublayer_forward(student, x, W)
    return student.sublayer_backward(dout, cache, W)


def expected_sublayer(reference, x, W, dout):
    return sublayer_backward(reference, x, W, dout)


@task("sublayer", weight=15)
@pytest.mark.parametrize("shape", SHAPES)
def test_sublayer_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    x, _, W = draw(rng, shape)
    a, _ = sublayer_forward(student, x, W)
    assert_close(a, sublayer_forward(reference, x, W)[0], what="a")


@task("sublayer", weight=15)
@pytest.mark.parametrize("shape", SHAPES)
def test_sublayer_backward(student, reference, rng, shape):
    """The backward pass for a random upstream gradient."""
    x, dout, W = draw(rng, shape)
    assert_close(sublayer_backward(student, x, W, dout), expected_sublayer(reference, x, W, dout), what="dx")


@task("sublayer", weight=20)
def test_sublayer_backward_measured(student, reference, rng):
    """The backward pass against finite differences, for an all-ones and a random gradient."""
    x, random, W = draw(rng, (2, 3))
    for dout in (np.ones((2, 3)), random):
        measured = reference.numerical_gradient(
            lambda v, dout=dout: np.sum(dout * reference.sublayer_forward(v, W)[0]), x
        )
        assert_close(in_double(sublayer_backward(student, x, W, dout)), measured, what="dx", rtol=1e-4)


@task("sublayer", weight=14)
def test_sublayer_axes_of_length_one(student, reference, rng):
    """A batch of one, a sequence of one, a single channel."""
    for shape in THIN_SHAPES:
        x, dout, W = draw(rng, shape)
        a, _ = sublayer_forward(student, x, W)
        assert_close(a, sublayer_forward(reference, x, W)[0], what=f"a for x of shape {shape}")
        dx = sublayer_backward(student, x, W, dout)
        assert_close(dx, expected_sublayer(reference, x, W, dout), what=f"dx for x of shape {shape}")


@task("sublayer", weight=12)
def test_sublayer_loud_and_quiet(student, reference, rng):
    """Inputs so large that tanh is flat beside ordinary ones, very small inputs, and very small gradients."""
    x, dout, W = draw(rng, (4, 5))
    rows = np.array([[1.0], [6.0], [30.0], [0.1]])
    for size, loud in ((1.0, rows), (1e-7, 1.0), (0.0, 1.0)):
        point, gradient = size * loud * x, size * loud * dout
        a, _ = sublayer_forward(student, point, W)
        assert_close(a, sublayer_forward(reference, point, W)[0], what="a")
        dx = sublayer_backward(student, point, W, gradient)
        assert_close(dx, expected_sublayer(reference, point, W, gradient), what="dx")


@task("sublayer", weight=10)
def test_sublayer_not_contiguous(student, reference, rng):
    """Arrays that are not contiguous, and an upstream gradient of all ones of which NumPy keeps a single one."""
    x, dout, W = draw(rng, (2, 3, 4))
    for layout in ("columns", "steps"):
        views = [student.laid_out(value, layout) for value in (x, W, dout)]
        a, _ = sublayer_forward(student, *views[:-1])
        assert_close(a, sublayer_forward(reference, x, W)[0], what=f"a in {layout}")
        expected = expected_sublayer(reference, x, W, dout)
        assert_close(sublayer_backward(student, *views), expected, what=f"dx in {layout}")
    ones = np.ones((2, 3, 4))
    dx = sublayer_backward(student, x, W, student.laid_out(ones, "repeated"))
    assert_close(dx, expected_sublayer(reference, x, W, ones), what="dx for all ones")


@task("sublayer", weight=18)
def test_sublayer_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes, one of which runs twice."""
    passes = [draw(rng, (3, 5)) for _ in range(2)]
    caches = [sublayer_forward(student, x, *Ws)[1] for x, _, *Ws in passes]
    kept = []
    for place, size in ((0, 1.0), (1, 1.0), (0, 100.0)):
        x, dout, *Ws = passes[place]
        dx = student.sublayer_backward(size * dout, caches[place], *Ws)
        assert_close(dx, expected_sublayer(reference, x, *Ws, size * dout), what="dx")
        kept.append(student.put(dx))
    x, dout, *Ws = passes[0]
    assert_close(student.get(kept[0]), expected_sublayer(reference, x, *Ws, dout), what="the first dx after the others")


@task("sublayer", weight=10)
def test_sublayer_again(student, reference, rng):
    """The same arrays twice, with other numbers in them the second time."""
    arrays = draw(rng, (3, 5))
    kept = [student.put(value) for value in arrays]
    for call in ("the first time", "the second time"):
        kept_x, kept_dout, *kept_Ws = kept
        x, dout, *Ws = arrays
        a, cache = sublayer_forward(student, kept_x, *kept_Ws)
        dx = student.sublayer_backward(kept_dout, cache, *kept_Ws)
        assert_close(a, sublayer_forward(reference, x, *Ws)[0], what=f"a {call}")
        assert_close(dx, expected_sublayer(reference, x, *Ws, dout), what=f"dx {call}")
        arrays = [same_but_for_the_first(value, rng) for value in arrays]
        for handle, numbers in zip(kept, arrays):
            student.overwrite(handle, numbers)


@task("sublayer", weight=16)
def test_sublayer_leaves_arguments(student, reference, rng):
    """Whether the arguments and NumPy's error handling are the same after both passes, and dx is right all the same."""
    x, dout, W = draw(rng, (3, 5))
    kept = [student.put(value) for value in (x, W, dout)]
    assert_close(sublayer_backward(student, *kept), expected_sublayer(reference, x, W, dout), what="dx")
    for name, value, handle in zip(("x", "W", "dout"), (x, W, dout), kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")
    assert_modes_kept(student, "sublayer_forward", x, W)
    assert_modes_kept(student, "sublayer_backward", dout, sublayer_forward(student, x, W)[1], W)


# --- run_stack ---


@task("run_stack", weight=6)
@pytest.mark.parametrize("skip", [False, True])
def test_stack_of_the_lesson(student, reference, skip):
    """The norms of the lesson's table, as numbers."""
    Ws = reference.weight_bank(0.5)
    printed = numbers_in(TABLE)[int(skip) :: 2]
    for N, wanted in zip(DEPTHS, printed):
        assert_printed(student.run_stack(N, skip, Ws), wanted, what=f"the norm at depth {N}")


def assert_stack(student, reference, N, skip, Ws, given=None):
    """The norm is right for `Ws`, which the student is given as it is or as `given`."""
    norm = student.run_stack(N, skip, Ws if given is None else given)
    assert_close(norm, reference.run_stack(N, skip, Ws), what=f"the norm at depth {N}")


@task("run_stack", weight=20)
@pytest.mark.parametrize("skip", [False, True])
def test_stack_of_other_weights(student, reference, rng, skip):
    """Other weights and depths, with more weights than layers."""
    for scale in (0.9, 1.3):
        Ws = draw_bank(rng, 9, scale)
        for N in (2, 4, 9):
            assert_stack(student, reference, N, skip, Ws)


@task("run_stack", weight=10)
@pytest.mark.parametrize("skip", [False, True])
def test_stack_of_one_layer(student, reference, rng, skip):
    """A stack of one layer."""
    assert_stack(student, reference, 1, skip, draw_bank(rng, 1))


@task("run_stack", weight=10)
def test_stack_repeats(student, reference, rng):
    """The same measurement several times, with others in between."""
    Ws, others = draw_bank(rng, 5, 0.7), draw_bank(rng, 5, 0.7)
    for N, bank in ((3, Ws), (5, Ws), (3, others), (3, Ws), (3, Ws)):
        assert_stack(student, reference, N, True, bank)


@task("run_stack", weight=6)
def test_stack_without_weights(student):
    """Weights that are all zero."""
    Ws = [np.zeros((16, 16))] * 4
    assert_close(student.run_stack(4, True, Ws), 8.0, what="the norm with skip paths")
    assert_close(student.run_stack(4, False, Ws), 0.0, what="the norm without skip paths")


@task("run_stack", weight=10)
def test_stack_that_uses_weights_twice(student, reference, rng):
    """A list that holds the very same weights more than once."""
    W, V = draw_bank(rng, 2)
    kept_W, kept_V = student.put(W), student.put(V)
    kept = student.put([kept_W, kept_V, kept_W, kept_W])
    for skip in (True, False):
        for N in (4, 3):
            assert_stack(student, reference, N, skip, [W, V, W, W], kept)


@task("run_stack", weight=5)
def test_stack_of_loud_weights(student, reference, rng):
    """Weights so large that tanh is nearly flat, and very small ones."""
    for scale, entry in ((4.0, 8.0), (1e-3, 0.0)):
        Ws = draw_bank(rng, 3, scale)
        Ws[0][0, 0] = entry
        assert_stack(student, reference, 3, True, Ws)


@task("run_stack", weight=8)
def test_stack_not_contiguous(student, reference, rng):
    """Weights that are not contiguous: transposed in memory, or every other entry of something larger."""
    Ws = draw_bank(rng, 3)
    for layout in ("columns", "steps"):
        assert_stack(student, reference, 3, True, Ws, [student.laid_out(W, layout) for W in Ws])


@task("run_stack", weight=10)
def test_stack_again(student, reference, rng):
    """The same list of the same weights twice, with other numbers in them the second time."""
    Ws = draw_bank(rng, 2)
    handles = [student.put(W) for W in Ws]
    kept = student.put(handles)
    assert_stack(student, reference, 2, True, Ws, kept)
    new = [same_but_for_the_first(W, rng) / 4 for W in Ws]
    for handle, W in zip(handles, new):
        student.overwrite(handle, W)
    assert_stack(student, reference, 2, True, new, kept)


@task("run_stack", weight=16)
def test_stack_leaves_weights(student, reference, rng):
    """Whether the list of weights and NumPy's error handling are the same after the call, and the norm is right."""
    Ws = draw_bank(rng, 4, 0.8)
    kept = student.put(Ws)
    assert_stack(student, reference, 3, True, Ws, kept)
    assert_unchanged(student, kept, Ws, "Ws")
    assert_modes_kept(student, "run_stack", 2, True, kept, random_numbers=False)


# --- gradient_table ---


def assert_bank(actual, expected):
    bank = expect_tuple(actual, *(f"matrix {i}" for i in range(len(expected))))
    for i, (mine, W) in enumerate(zip(bank, expected)):
        assert_close(mine, W, what=f"matrix {i} of the bank")


def draw_bank_arguments(rng, C, n):
    return float(rng.uniform(0.1, 2.0)), C, n, int(rng.integers(1, 100_000))


@task("gradient_table", weight=8)
@pytest.mark.parametrize(("C", "n"), [(16, 4), (5, 3), (9, 2)])
def test_bank_of_other_arguments(student, reference, rng, C, n):
    """Weights of another scale, width, number and seed."""
    arguments = draw_bank_arguments(rng, C, n)
    assert_bank(student.weight_bank(*arguments), reference.weight_bank(*arguments))


@task("gradient_table", weight=4)
def test_bank_of_the_lesson(student, reference):
    """The lesson's weights, made twice."""
    expected = reference.weight_bank(0.5)
    assert_bank(student.weight_bank(0.5), expected)
    assert_bank(student.weight_bank(0.5), expected)


@task("gradient_table", weight=5)
def test_small_banks(student, reference, rng):
    """A bank of one matrix, banks of one channel, and a bank of none."""
    banks = [draw_bank_arguments(rng, C, n) for C, n in ((4, 1), (1, 3), (1, 1), (3, 0))]
    for arguments in (*banks, (0.0, 4, 2, 5), (0.9, 4, 2, 0)):
        assert_bank(student.weight_bank(*arguments), reference.weight_bank(*arguments))


@task("gradient_table", weight=9)
def test_bank_is_new_in_every_call(student, reference, rng):
    """The same bank once more, after somebody has written into the first one."""
    arguments = draw_bank_arguments(rng, 4, 2)
    expected = reference.weight_bank(*arguments)
    first = expect_tuple(student.weight_bank(*arguments), "matrix 0", "matrix 1")
    assert_bank(first, expected)
    student.overwrite(first[0], np.zeros((4, 4)))
    assert_bank(student.get(student.put(first[1:])), expected[1:])
    assert_bank(student.weight_bank(*arguments), expected)
    assert_modes_kept(student, "weight_bank", *arguments, random_numbers=False)


@task("gradient_table", weight=4)
def test_table_of_the_lesson(student, reference):
    """The lesson's table, byte for byte."""
    table = student.gradient_table(reference.weight_bank(0.5), DEPTHS)
    assert_text(table, TABLE, what="the table")


@task("gradient_table", weight=5)
def test_table_header(student, rng):
    """The first two lines of a table, byte for byte, and how many lines follow."""
    table = student.gradient_table(draw_bank(rng, 4), [4, 2])
    require(type(table) is str, "the table should be a string")
    lines = table.splitlines()
    assert_text("\n".join(lines[:2]), "\n".join(TABLE.splitlines()[:2]), what="the first two lines")
    require(len(lines) == 4, f"two depths make a table of 4 lines, yours has {len(lines)}")


@task("gradient_table", weight=20)
def test_table_numbers(student, reference, rng):
    """The numbers in the table of another bank, whatever the layout."""
    Ws, depths = draw_bank(rng, 7, 0.9), [1, 4, 7]
    assert_table_numbers(student.gradient_table(Ws, depths), reference.gradient_table(Ws, depths))


@task("gradient_table", weight=8)
def test_table_of_other_weights(student, reference, rng):
    """The table of other weights and depths, byte for byte."""
    Ws, depths = draw_bank(rng, 12, 0.7), [2, 3, 12]
    assert_text(student.gradient_table(Ws, depths), reference.gradient_table(Ws, depths), what="the table")


@task("gradient_table", weight=8)
@pytest.mark.parametrize("depths", [[4, 4], [3, 1, 3, 2, 2]], ids=["pair", "mixed"])
def test_table_of_equal_depths(student, reference, rng, depths):
    """The numbers where depths come more than once and in no order."""
    Ws = draw_bank(rng, 4)
    assert_table_numbers(student.gradient_table(Ws, depths), reference.gradient_table(Ws, depths))


@task("gradient_table", weight=6)
def test_table_of_hardly_any_depths(student, reference, rng):
    """The tables of one depth and of none."""
    for depths, Ws in bank_of_each_depth(rng):
        views = [student.laid_out(W, "columns") for W in Ws]
        assert_table_numbers(student.gradient_table(views, depths), reference.gradient_table(Ws, depths))


@task("gradient_table", weight=12)
def test_table_leaves_arguments(student, reference, rng):
    """Whether the lists of weights and of depths are the same after the call, and the numbers are right."""
    Ws, depths = draw_bank(rng, 4), [4, 1, 3]
    kept_Ws, kept = student.put(Ws), student.put(depths)
    assert_table_numbers(student.gradient_table(kept_Ws, kept), reference.gradient_table(Ws, depths))
    assert_unchanged(student, kept, depths, "depths")
    assert_unchanged(student, kept_Ws, Ws, "Ws")
    assert_modes_kept(student, "gradient_table", Ws, depths, random_numbers=False)


@task("gradient_table", weight=9)
def test_table_again(student, reference, rng):
    """The same lists twice, with other weights in them the second time."""
    Ws, depths = draw_bank(rng, 2), [2, 1]
    handles, kept = [student.put(W) for W in Ws], student.put(depths)
    kept_Ws = student.put(handles)
    assert_table_numbers(student.gradient_table(kept_Ws, kept), reference.gradient_table(Ws, depths))
    new = [same_but_for_the_first(W, rng) / 4 for W in Ws]
    for handle, W in zip(handles, new):
        student.overwrite(handle, W)
    assert_table_numbers(student.gradient_table(kept_Ws, kept), reference.gradient_table(new, depths))


# --- residual_pair ---


def pair_forward(student, x, W):
    return expect_tuple(student.residual_forward(x, W), "out", "cache")


def pair_backward(student, x, W, dout):
    _, cache = pair_forward(student, x, W)
    return student.residual_backward(dout, cache)


def expected_pair(reference, x, W, dout):
    return pair_backward(reference, x, W, dout)


@task("residual_pair", weight=15)
@pytest.mark.parametrize("shape", SHAPES)
def test_pair_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    x, _, W = draw(rng, shape)
    out, _ = pair_forward(student, x, W)
    assert_close(out, pair_forward(reference, x, W)[0], what="out")


@task("residual_pair", weight=15)
@pytest.mark.parametrize("shape", SHAPES)
def test_pair_backward(student, reference, rng, shape):
    """The backward pass for a random upstream gradient."""
    x, dout, W = draw(rng, shape)
    assert_close(pair_backward(student, x, W, dout), expected_pair(reference, x, W, dout), what="dx")


@task("residual_pair", weight=20)
def test_pair_measured(student, reference, rng):
    """The backward pass against finite differences, for an all-ones and a random gradient."""
    x, random, W = draw(rng, (2, 3))
    for dout in (np.ones((2, 3)), random):
        measured = reference.numerical_gradient(
            lambda v, dout=dout: np.sum(dout * reference.residual_forward(v, W)[0]), x
        )
        assert_close(in_double(pair_backward(student, x, W, dout)), measured, what="dx", rtol=1e-4)


@task("residual_pair", weight=8)
def test_pair_identity(student, rng):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, random, _ = draw(rng, (3, 5))
    W = np.zeros((5, 5))
    for dout in (np.ones((3, 5)), random):
        out, cache = expect_tuple(student.residual_forward(x, W), "out", "cache")
        assert_exact(out, x, what="out")
        assert_exact(student.residual_backward(dout, cache), dout, what="dx")


@task("residual_pair", weight=14)
def test_pair_axes_of_length_one(student, reference, rng):
    """A batch of one, a sequence of one, a single channel."""
    for shape in THIN_SHAPES:
        x, dout, W = draw(rng, shape)
        out, _ = pair_forward(student, x, W)
        assert_close(out, pair_forward(reference, x, W)[0], what=f"out for x of shape {shape}")
        dx = pair_backward(student, x, W, dout)
        assert_close(dx, expected_pair(reference, x, W, dout), what=f"dx for x of shape {shape}")


@task("residual_pair", weight=12)
def test_pair_loud_and_quiet(student, reference, rng):
    """Inputs so large that tanh is flat beside ordinary ones, very small inputs, and very small gradients."""
    x, dout, W = draw(rng, (4, 5))
    rows = np.array([[1.0], [6.0], [30.0], [0.1]])
    for size, loud in ((1.0, rows), (1e-7, 1.0), (0.0, 1.0)):
        point, gradient = size * loud * x, size * loud * dout
        out, _ = pair_forward(student, point, W)
        assert_close(out, pair_forward(reference, point, W)[0], what="out")
        dx = pair_backward(student, point, W, gradient)
        assert_close(dx, expected_pair(reference, point, W, gradient), what="dx")


@task("residual_pair", weight=10)
def test_pair_not_contiguous(student, reference, rng):
    """Arrays that are not contiguous, and an upstream gradient of all ones of which NumPy keeps a single one."""
    x, dout, W = draw(rng, (2, 3, 4))
    for layout in ("columns", "steps"):
        views = [student.laid_out(value, layout) for value in (x, W, dout)]
        out, _ = pair_forward(student, *views[:-1])
        assert_close(out, pair_forward(reference, x, W)[0], what=f"out in {layout}")
        expected = expected_pair(reference, x, W, dout)
        assert_close(pair_backward(student, *views), expected, what=f"dx in {layout}")
    ones = np.ones((2, 3, 4))
    dx = pair_backward(student, x, W, student.laid_out(ones, "repeated"))
    assert_close(dx, expected_pair(reference, x, W, ones), what="dx for all ones")


@task("residual_pair", weight=18)
def test_pair_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes, one of which runs twice."""
    passes = [draw(rng, (3, 5)) for _ in range(2)]
    caches = [pair_forward(student, x, *Ws)[1] for x, _, *Ws in passes]
    kept = []
    for place, size in ((0, 1.0), (1, 1.0), (0, 100.0)):
        x, dout, *Ws = passes[place]
        dx = student.residual_backward(size * dout, caches[place])
        assert_close(dx, expected_pair(reference, x, *Ws, size * dout), what="dx")
        kept.append(student.put(dx))
    x, dout, *Ws = passes[0]
    assert_close(student.get(kept[0]), expected_pair(reference, x, *Ws, dout), what="the first dx after the others")


@task("residual_pair", weight=10)
def test_pair_again(student, reference, rng):
    """The same arrays twice, with other numbers in them the second time."""
    arrays = draw(rng, (3, 5))
    kept = [student.put(value) for value in arrays]
    for call in ("the first time", "the second time"):
        kept_x, kept_dout, *kept_Ws = kept
        x, dout, *Ws = arrays
        out, cache = pair_forward(student, kept_x, *kept_Ws)
        dx = student.residual_backward(kept_dout, cache)
        assert_close(out, pair_forward(reference, x, *Ws)[0], what=f"out {call}")
        assert_close(dx, expected_pair(reference, x, *Ws, dout), what=f"dx {call}")
        arrays = [same_but_for_the_first(value, rng) for value in arrays]
        for handle, numbers in zip(kept, arrays):
            student.overwrite(handle, numbers)


@task("residual_pair", weight=16)
def test_pair_leaves_arguments(student, reference, rng):
    """Whether the arguments and NumPy's error handling are the same after both passes, and dx is right all the same."""
    x, dout, W = draw(rng, (3, 5))
    kept = [student.put(value) for value in (x, W, dout)]
    assert_close(pair_backward(student, *kept), expected_pair(reference, x, W, dout), what="dx")
    for name, value, handle in zip(("x", "W", "dout"), (x, W, dout), kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")
    assert_modes_kept(student, "residual_forward", x, W)
    assert_modes_kept(student, "residual_backward", dout, pair_forward(student, x, W)[1])


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


@task("gradient_check", weight=10)
@pytest.mark.parametrize("shape", [(4,), *SHAPES])
def test_numerical_gradient_with_a_large_step(student, reference, rng, shape):
    """The numerical gradient of a cubic function for a step of 0.1."""
    x, weights = rng.standard_normal((2, *shape))

    def cubic(v):
        return np.sum(weights * v**3)

    f, _ = scalar_function(cubic, x)
    expected = reference.numerical_gradient(cubic, x, 0.1)
    assert_close(student.numerical_gradient(f, x, 0.1), expected, what="the gradient")


@task("gradient_check", weight=10)
def test_numerical_gradient_with_the_usual_step(student, rng):
    """The numerical gradient of a sum of sines without naming a step."""
    x, weights = rng.standard_normal((2, 3, 4))
    f, _ = scalar_function(lambda v: np.sum(weights * np.sin(v)), x)
    assert_close(student.numerical_gradient(f, x), weights * np.cos(x), what="the gradient", rtol=1e-4)


@task("gradient_check", weight=5)
def test_numerical_gradient_looks_at_the_right_points(student, rng):
    """Where the numerical gradient looks if no step is named."""
    x = rng.standard_normal((3, 4))
    f, points = scalar_function(lambda v: np.sum(v**2), x)
    assert_close(student.numerical_gradient(f, x), 2 * x, what="the gradient", rtol=1e-3)
    steps = [float(np.max(np.abs(point - x))) for point in points]
    require(
        all(step < 1.01e-6 for step in steps) and any(step > 0.99e-6 for step in steps),
        "without an argument for it, the step should be 1e-6 to either side of x",
    )


@task("gradient_check", weight=14)
def test_numerical_gradient_leaves_x(student, rng):
    """Whether x is the same after the call, and the gradient is right all the same; then the same x once more."""
    x = rng.standard_normal((3, 4))
    kept, new = student.put(x), same_but_for_the_first(x, rng)
    f, _ = scalar_function(lambda v: np.sum(v**2), x)
    gradient = student.numerical_gradient(f, kept)
    first = student.put(gradient)
    assert_close(gradient, 2 * x, what="the gradient", rtol=1e-4)
    assert_close(student.get(kept), x, what="x after the call")
    student.overwrite(kept, new)
    assert_close(student.numerical_gradient(f, kept), 2 * new, what="the gradient for other numbers", rtol=1e-4)
    assert_exact(student.get(first), gradient, what="the first gradient after the second call")
    assert_modes_kept(student, "numerical_gradient", f, kept)


@task("gradient_check", weight=6)
def test_numerical_gradient_axes_of_length_one(student, rng):
    """The numerical gradient of arrays with axes of length one."""
    for shape in ((1,), *THIN_SHAPES):
        x, weights = rng.standard_normal((2, *shape))
        f, _ = scalar_function(lambda v, weights=weights: np.sum(weights * v**2), x)
        gradient = student.numerical_gradient(f, x)
        assert_close(gradient, 2 * weights * x, what=f"the gradient for the shape {shape}", rtol=1e-4)
    x = np.full((2, 3), 10.0)
    f, _ = scalar_function(lambda v: np.sum(v**2), x)
    assert_close(student.numerical_gradient(f, x), 2 * x, what="the gradient at equal numbers", rtol=1e-4)


@task("gradient_check", weight=14)
def test_numerical_gradient_not_contiguous(student, rng):
    """The numerical gradient of arrays that are not contiguous."""
    x, weights = rng.standard_normal((2, 2, 3, 2))
    for layout in ("columns", "steps"):
        f, _ = scalar_function(lambda v: np.sum(weights * v**2), x)
        gradient = student.numerical_gradient(f, student.laid_out(x, layout))
        assert_close(gradient, 2 * weights * x, what=f"the gradient in {layout}", rtol=1e-4)


@task("gradient_check", weight=10)
@pytest.mark.parametrize("shape", [(5,), *SHAPES])
def test_relative_error(student, reference, rng, shape):
    """The largest relative error of two random arrays, in both orders."""
    a = 10 * rng.standard_normal(shape)
    for size in (0.1, 2**-24):
        b = a * (1 + size * rng.standard_normal(shape))
        expected = reference.max_relative_error(a, b)
        assert_close(student.max_relative_error(a, b), expected, what="the error of a and b")
        assert_close(student.max_relative_error(b, a), expected, what="the error of b and a")


@task("gradient_check", weight=14)
def test_relative_error_of_small_entries(student, rng):
    """Arrays of zeros, and arrays with tiny entries."""
    zeros = np.zeros((2, 3))
    assert_close(student.max_relative_error(zeros, zeros), 0.0, what="the error of zeros")
    size = rng.uniform(1.0, 9.0)
    a, b = size * np.array([3e-12, 0.0, 2.0]), size * np.array([1e-12, 0.0, 2.0])
    expected = 2 * size / (4 * size + 1)
    assert_close(student.max_relative_error(a, b), expected, what="the error of tiny entries")
    assert_close(student.max_relative_error(-a, a), 1.0, what="the error of opposite signs")


@task("gradient_check", weight=10)
def test_relative_error_edges(student, reference, rng):
    """Arrays with axes of length one, arrays that are not contiguous, and an array and itself."""
    for shape in ((1,), (1, 1), (1, 4), (3, 1)):
        a, b = rng.standard_normal((2, *shape))
        expected = reference.max_relative_error(a, b)
        assert_close(student.max_relative_error(a, b), expected, what=f"the error for the shape {shape}")
    a, b = rng.standard_normal((2, 3, 4))
    views = student.laid_out(a, "columns"), student.laid_out(b, "steps")
    assert_close(student.max_relative_error(*views), reference.max_relative_error(a, b), what="the error of two views")
    kept = student.put(a)
    assert_close(student.max_relative_error(kept, kept), 0.0, what="the error of equal arrays")
    assert_exact(student.get(kept), a, what="the array after the call")


@task("gradient_check", weight=12)
def test_relative_error_leaves_arguments(student, reference, rng):
    """Whether a and b and NumPy's error handling are the same after the call, and other numbers in them count."""
    a, b = rng.standard_normal((2, 3, 4))
    kept_a, kept_b = student.put(a), student.put(b)
    expected = reference.max_relative_error(a, b)
    assert_close(student.max_relative_error(kept_a, kept_b), expected, what="the error")
    assert_exact(student.get(kept_a), a, what="a after the call")
    assert_exact(student.get(kept_b), b, what="b after the call")
    assert_modes_kept(student, "max_relative_error", kept_a, kept_b)
    student.overwrite(kept_b, a)
    assert_close(student.max_relative_error(kept_a, kept_b), 0.0, what="the error of equal arrays")


@task("gradient_check", weight=10)
def test_check_passes_a_right_pair(student, reference, rng):
    """Both functions together, on a right gradient of a residual block and on a wrong one."""
    x, dout, W = draw(rng, (3, 8))
    f, _ = scalar_function(lambda v: np.sum(dout * reference.residual_forward(v, W)[0]), x)
    measured = student.numerical_gradient(f, x)
    derived = reference.residual_backward(dout, reference.residual_forward(x, W)[1])
    assert_close(measured, derived, what="the measured gradient", rtol=1e-4)
    for wrong in (measured - dout, measured * (1 + 1e-2 * rng.standard_normal((3, 8)))):
        error = student.max_relative_error(wrong, measured)
        assert_close(error, reference.max_relative_error(wrong, measured), what="the error")
        require(error > 1e-4, "the check should tell right gradients from wrong")
    near = student.max_relative_error(measured * (1 + 1e-6), measured)
    require(near < 1e-4, "the check should tell right gradients from wrong")


# --- exercise_1 ---


@task("exercise_1", weight=5)
def test_weakened_numbers(student):
    """The numbers of the new table, whatever the layout."""
    assert_table_numbers(student.weakened_table(), WEAKENED_TABLE)


@task("exercise_1", weight=1)
def test_weakened_text(student):
    """The new table, byte for byte."""
    assert_text(student.weakened_table(), WEAKENED_TABLE, what="the table")


@task("exercise_1", weight=4)
def test_weakened_answers(student):
    """The two answers about the new table."""
    answers = expect_tuple(student.weakened_answers(), "plain_decays", "residual_healthy")
    columns = {"plain_decays": "no residual", "residual_healthy": "with residual"}
    for (name, column), answer in zip(columns.items(), answers):
        require(expect_bool(answer, what=name), f'{name}: read the column "{column}" once more, top to bottom')


# --- exercise_2 ---


def two_forward(student, x, W_f, W_g):
    return expect_tuple(student.two_residual_forward(x, W_f, W_g), "out", "cache")


def two_backward(student, x, W_f, W_g, dout):
    _, cache = two_forward(student, x, W_f, W_g)
    return student.two_residual_backward(dout, cache)


def expected_two(reference, x, W_f, W_g, dout):
    return two_backward(reference, x, W_f, W_g, dout)


@task("exercise_2", weight=15)
@pytest.mark.parametrize("shape", SHAPES)
def test_two_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    x, _, W_f, W_g = draw(rng, shape, 2)
    out, _ = two_forward(student, x, W_f, W_g)
    assert_close(out, two_forward(reference, x, W_f, W_g)[0], what="out")


@task("exercise_2", weight=15)
@pytest.mark.parametrize("shape", SHAPES)
def test_two_backward(student, reference, rng, shape):
    """The backward pass for a random upstream gradient."""
    x, dout, W_f, W_g = draw(rng, shape, 2)
    assert_close(two_backward(student, x, W_f, W_g, dout), expected_two(reference, x, W_f, W_g, dout), what="dx")


@task("exercise_2", weight=20)
def test_two_measured(student, reference, rng):
    """The backward pass against finite differences, for an all-ones and a random gradient."""
    x, random, W_f, W_g = draw(rng, (2, 3), 2)
    for dout in (np.ones((2, 3)), random):
        measured = reference.numerical_gradient(
            lambda v, dout=dout: np.sum(dout * reference.two_residual_forward(v, W_f, W_g)[0]), x
        )
        assert_close(in_double(two_backward(student, x, W_f, W_g, dout)), measured, what="dx", rtol=1e-4)


@task("exercise_2", weight=8)
def test_two_identity(student, rng):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, random, _ = draw(rng, (3, 5))
    W = np.zeros((5, 5))
    for dout in (np.ones((3, 5)), random):
        out, cache = expect_tuple(student.two_residual_forward(x, W, W), "out", "cache")
        assert_exact(out, x, what="out")
        assert_exact(student.two_residual_backward(dout, cache), dout, what="dx")


@task("exercise_2", weight=14)
def test_two_axes_of_length_one(student, reference, rng):
    """A batch of one, a sequence of one, a single channel."""
    for shape in THIN_SHAPES:
        x, dout, W_f, W_g = draw(rng, shape, 2)
        out, _ = two_forward(student, x, W_f, W_g)
        assert_close(out, two_forward(reference, x, W_f, W_g)[0], what=f"out for x of shape {shape}")
        dx = two_backward(student, x, W_f, W_g, dout)
        assert_close(dx, expected_two(reference, x, W_f, W_g, dout), what=f"dx for x of shape {shape}")


@task("exercise_2", weight=12)
def test_two_loud_and_quiet(student, reference, rng):
    """Inputs so large that tanh is flat beside ordinary ones, very small inputs, and very small gradients."""
    x, dout, W_f, W_g = draw(rng, (4, 5), 2)
    rows = np.array([[1.0], [6.0], [30.0], [0.1]])
    for size, loud in ((1.0, rows), (1e-7, 1.0), (0.0, 1.0)):
        point, gradient = size * loud * x, size * loud * dout
        out, _ = two_forward(student, point, W_f, W_g)
        assert_close(out, two_forward(reference, point, W_f, W_g)[0], what="out")
        dx = two_backward(student, point, W_f, W_g, gradient)
        assert_close(dx, expected_two(reference, point, W_f, W_g, gradient), what="dx")


@task("exercise_2", weight=10)
def test_two_not_contiguous(student, reference, rng):
    """Arrays that are not contiguous, and an upstream gradient of all ones of which NumPy keeps a single one."""
    x, dout, W_f, W_g = draw(rng, (2, 3, 4), 2)
    for layout in ("columns", "steps"):
        views = [student.laid_out(value, layout) for value in (x, W_f, W_g, dout)]
        out, _ = two_forward(student, *views[:-1])
        assert_close(out, two_forward(reference, x, W_f, W_g)[0], what=f"out in {layout}")
        expected = expected_two(reference, x, W_f, W_g, dout)
        assert_close(two_backward(student, *views), expected, what=f"dx in {layout}")
    ones = np.ones((2, 3, 4))
    dx = two_backward(student, x, W_f, W_g, student.laid_out(ones, "repeated"))
    assert_close(dx, expected_two(reference, x, W_f, W_g, ones), what="dx for all ones")


@task("exercise_2", weight=18)
def test_two_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes, one of which runs twice."""
    passes = [draw(rng, (3, 5), 2) for _ in range(2)]
    caches = [two_forward(student, x, *Ws)[1] for x, _, *Ws in passes]
    kept = []
    for place, size in ((0, 1.0), (1, 1.0), (0, 100.0)):
        x, dout, *Ws = passes[place]
        dx = student.two_residual_backward(size * dout, caches[place])
        assert_close(dx, expected_two(reference, x, *Ws, size * dout), what="dx")
        kept.append(student.put(dx))
    x, dout, *Ws = passes[0]
    assert_close(student.get(kept[0]), expected_two(reference, x, *Ws, dout), what="the first dx after the others")


@task("exercise_2", weight=10)
def test_two_again(student, reference, rng):
    """The same arrays twice, with other numbers in them the second time."""
    arrays = draw(rng, (3, 5), 2)
    kept = [student.put(value) for value in arrays]
    for call in ("the first time", "the second time"):
        kept_x, kept_dout, *kept_Ws = kept
        x, dout, *Ws = arrays
        out, cache = two_forward(student, kept_x, *kept_Ws)
        dx = student.two_residual_backward(kept_dout, cache)
        assert_close(out, two_forward(reference, x, *Ws)[0], what=f"out {call}")
        assert_close(dx, expected_two(reference, x, *Ws, dout), what=f"dx {call}")
        arrays = [same_but_for_the_first(value, rng) for value in arrays]
        for handle, numbers in zip(kept, arrays):
            student.overwrite(handle, numbers)


@task("exercise_2", weight=4)
def test_two_same_weights(student, reference, rng):
    """The same weights in both sublayers, as the same array, and x the same after both passes."""
    x, dout, W = draw(rng, (3, 5))
    kept_x, kept_W = student.put(x), student.put(W)
    dx = two_backward(student, kept_x, kept_W, kept_W, dout)
    assert_close(dx, expected_two(reference, x, W, W, dout), what="dx")
    assert_exact(student.get(kept_x), x, what="x after both passes")
    assert_exact(student.get(kept_W), W, what="the weights after both passes")


@task("exercise_2", weight=16)
def test_two_leaves_arguments(student, reference, rng):
    """Whether the arguments and NumPy's error handling are the same after both passes, and dx is right all the same."""
    x, dout, W_f, W_g = draw(rng, (3, 5), 2)
    kept = [student.put(value) for value in (x, W_f, W_g, dout)]
    assert_close(two_backward(student, *kept), expected_two(reference, x, W_f, W_g, dout), what="dx")
    for name, value, handle in zip(("x", "W_f", "W_g", "dout"), (x, W_f, W_g, dout), kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")
    assert_modes_kept(student, "two_residual_forward", x, W_f, W_g)
    assert_modes_kept(student, "two_residual_backward", dout, two_forward(student, x, W_f, W_g)[1])


# --- exercise_3 ---


def assert_ratios(actual, expected, depths):
    ratios = expect_tuple(actual, *(f"depth {N}" for N in depths))
    for N, ratio, wanted in zip(depths, ratios, expected):
        assert_close(ratio, wanted, what=f"the ratio at depth {N}")


@task("exercise_3", weight=10)
def test_ratios_of_the_lesson(student, reference):
    """The ratios for the lesson's weights, as numbers."""
    Ws = reference.weight_bank(0.5)
    ratios = expect_tuple(student.preservation_ratios(Ws, DEPTHS), *map(str, DEPTHS))
    for N, ratio, wanted in zip(DEPTHS, ratios, ("1.083888", "1.818072", "2.372718", "3.205410")):
        assert_printed(ratio, wanted, what=f"the ratio at depth {N}")


@task("exercise_3", weight=40)
def test_ratios_of_other_weights(student, reference, rng):
    """The ratios for other weights, at several depths."""
    for scale, depths in ((0.9, [2, 5, 6]), (0.2, [1, 7]), (1.2, [3, 7])):
        Ws = draw_bank(rng, 7, scale)
        expected = reference.preservation_ratios(Ws, depths)
        assert_ratios(student.preservation_ratios(Ws, depths), expected, depths)


@task("exercise_3", weight=10)
def test_ratios_of_equal_depths(student, reference, rng):
    """The ratios where depths come more than once and in no order."""
    Ws = draw_bank(rng, 6)
    for depths in ([6, 2, 2, 5], [3, 3]):
        expected = reference.preservation_ratios(Ws, depths)
        assert_ratios(student.preservation_ratios(Ws, depths), expected, depths)


@task("exercise_3", weight=8)
def test_ratios_of_hardly_any_depths(student, reference, rng):
    """The ratios of one depth and of none."""
    for depths, Ws in bank_of_each_depth(rng):
        views = [student.laid_out(W, "columns") for W in Ws]
        expected = reference.preservation_ratios(Ws, depths)
        assert_ratios(student.preservation_ratios(views, depths), expected, depths)


@task("exercise_3", weight=8)
def test_ratios_without_weights(student):
    """The ratios where all weights are zero."""
    Ws = [np.zeros((16, 16))] * 3
    assert_ratios(student.preservation_ratios(Ws, [1, 3]), [1.0, 1.0], [1, 3])


@task("exercise_3", weight=14)
def test_ratios_leave_arguments(student, reference, rng):
    """Whether the lists of weights and of depths are the same after the call, and other weights in them count."""
    Ws, depths = draw_bank(rng, 4), [4, 1, 3]
    handles, kept = [student.put(W) for W in Ws], student.put(depths)
    kept_Ws = student.put(handles)
    assert_modes_kept(student, "preservation_ratios", kept_Ws, kept, random_numbers=False)
    assert_unchanged(student, kept, depths, "depths")
    assert_unchanged(student, kept_Ws, Ws, "Ws")
    new = [same_but_for_the_first(W, rng) / 4 for W in Ws]
    for handle, W in zip(handles, new):
        student.overwrite(handle, W)
    assert_ratios(student.preservation_ratios(kept_Ws, kept), reference.preservation_ratios(new, depths), depths)
