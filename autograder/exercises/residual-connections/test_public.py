"""The checks that students run themselves: small numbers worked by hand, properties, and slopes."""

import numpy as np

from autograder.testing import (
    assert_close,
    assert_exact,
    assert_printed,
    assert_text,
    assert_unchanged,
    expect_bool,
    expect_tuple,
    require,
    task,
    told_later,
)

LESSON_TABLE = """\
 depth N |    no residual |  with residual
--------------------------------------------
       1 |   2.778871e+00 |       8.671100
       5 |   7.579453e-02 |      14.544574
      10 |   1.856928e-03 |      18.981747
      20 |   8.262664e-07 |      25.643279"""


def along_directions(forward, backward, x, dout):
    """Compare dx with the slopes of the loss sum(dout * out) along six random directions.

    forward: function of x that returns (out, cache)
    backward: function of (dout, cache) that returns dx
    """
    directions = np.random.default_rng(5).standard_normal((6, *x.shape))
    _, cache = expect_tuple(forward(x), "out", "cache")
    dx = backward(dout, cache)
    require(np.shape(dx) == x.shape, f"dx should have x's shape {x.shape}, not {np.shape(dx)}")
    slopes = []
    for direction in directions:
        losses = []
        for step in (1e-5, -1e-5):
            out, _ = expect_tuple(forward(x + step * direction), "out", "cache")
            losses.append(float(np.sum(dout * out)))
        slopes.append((losses[0] - losses[1]) / 2e-5)
    mine, upstream = ([float(np.sum(value * direction)) for direction in directions] for value in (dx, dout))
    what, inputs = "dx, by the slopes of the loss along six directions", {"dout": np.array(upstream)}
    assert_close(np.array(mine), np.array(slopes), what=what, rtol=1e-4, inputs=inputs)


# --- residual ---


@task("residual")
def test_residual_by_hand(student):
    """x = [[1, 2], [3, 4]] and a sublayer that multiplies by ten."""
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    out = student.residual(x, lambda v: 10.0 * v)
    assert_close(out, np.array([[11.0, 22.0], [33.0, 44.0]]), what="out", axes="BC", inputs={"x": x})


@task("residual")
def test_residual_of_nothing(student):
    """A sublayer that returns zeros: x must come back exactly."""
    x = np.array([[[0.1, -0.2], [0.3, 0.7]]])
    assert_exact(student.residual(x, np.zeros_like), x, what="out", axes="BTC")


@task("residual")
def test_residual_calls_the_sublayer_once(student):
    """How often the sublayer is called."""
    calls = []

    def sublayer(v):
        calls.append(1)
        return v + 1.0

    student.residual(np.ones((2, 3)), sublayer)
    require(len(calls) == 1, f"the sublayer should be called once, you call it {len(calls)} times")


@task("residual")
def test_residual_leaves_x_alone(student):
    """Whether x is the same after the call, also where the sublayer returns x itself."""
    for sublayer in (lambda v: v + 1.0, lambda v: v):
        x = student.put(np.array([[1.0, 2.0]]))
        student.residual(x, sublayer)
        assert_unchanged(student.get(x), np.array([[1.0, 2.0]]), what="x")


def refuses(student, shape):
    """Check that for x of shape (2, 4) a sublayer is refused that returns this one."""
    x, result = np.ones((2, 4)), np.ones(shape)
    raised = student.error("residual", x, lambda v: result)
    require(
        raised.type == "ValueError",
        f"a result of shape {shape} for x of shape (2, 4) should raise ValueError, yours raises {raised.type}",
    )
    numbers = "".join(c if c.isdigit() else " " for c in raised.message).split()
    for named in (x.shape, shape):
        text = " ".join(map(str, named))
        require(text in " ".join(numbers), f"the message should name the shape {named}")


@task("residual")
def test_residual_refuses_other_shapes(student):
    """A sublayer that returns another number of channels."""
    refuses(student, (2, 3))


@task("residual")
def test_residual_refuses_one_channel(student):
    """A sublayer that returns a single channel, which NumPy would stretch."""
    refuses(student, (2, 1))


@task("residual")
def test_residual_refuses_a_missing_axis(student):
    """A sublayer that returns no batch axis, which NumPy would add."""
    refuses(student, (4,))


# --- residual_gradient ---


@task("residual_gradient")
def test_gradient_by_hand(student):
    """dout = [[1, -2], [3, 5]] and df = [[10, 20], [-7, 40]], which must be the same after the call."""
    dout, df = np.array([[1.0, -2.0], [3.0, 5.0]]), np.array([[10.0, 20.0], [-7.0, 40.0]])
    kept = student.put(dout), student.put(df)
    wanted, inputs = np.array([[11.0, 18.0], [-4.0, 45.0]]), {"dout": dout, "df": df}
    assert_close(student.residual_gradient(*kept), wanted, what="dx", axes="BC", inputs=inputs)
    assert_unchanged(student.get(kept[0]), dout, what="dout")
    assert_unchanged(student.get(kept[1]), df, what="df")


@task("residual_gradient")
def test_gradient_of_a_silent_branch(student):
    """A branch that sends nothing back."""
    ones = np.ones((2, 3))
    assert_exact(student.residual_gradient(ones, np.zeros((2, 3))), ones, what="dx", axes="BC")


# --- sublayer ---


@task("sublayer")
def test_sublayer_by_hand(student):
    """x = [[1, 0]] with small weights, tanh from a pocket calculator."""
    x, W = np.array([[1.0, 0.0]]), np.array([[0.5, -1.0], [7.0, 7.0]])
    a, _ = expect_tuple(student.sublayer_forward(x, W), "a", "cache")
    assert_close(a, np.array([[0.46211716, -0.76159416]]), what="a", rtol=1e-7, axes="BC")


@task("sublayer")
def test_sublayer_backward_at_zero(student):
    """The backward pass at x = 0, where the slope of tanh is 1."""
    x, W = np.zeros((1, 2)), np.array([[1.0, 2.0], [3.0, 4.0]])
    _, cache = expect_tuple(student.sublayer_forward(x, W), "a", "cache")
    dx = student.sublayer_backward(np.array([[1.0, 10.0]]), cache, W)
    assert_close(dx, np.array([[21.0, 43.0]]), what="dx", axes="BC")


@task("sublayer")
def test_sublayer_leaves_dout_alone(student):
    """Whether the upstream gradient is the same after the backward pass."""
    x, W = np.ones((1, 2)), np.array([[1.0, 2.0], [3.0, 4.0]])
    _, cache = expect_tuple(student.sublayer_forward(x, W), "a", "cache")
    dout = student.put(np.array([[1.0, 10.0]]))
    student.sublayer_backward(dout, cache, W)
    assert_unchanged(student.get(dout), np.array([[1.0, 10.0]]), what="dout")


@task("sublayer")
def test_sublayer_backward_slope(student):
    """The backward pass against the slopes of the loss along random directions."""
    rng = np.random.default_rng(1)
    W = rng.standard_normal((3, 3))
    for shape in ((2, 3), (2, 4, 3)):
        along_directions(
            lambda v: student.sublayer_forward(v, W),
            lambda dout, cache: student.sublayer_backward(dout, cache, W),
            rng.standard_normal(shape),
            rng.standard_normal(shape),
        )


@task("sublayer")
def test_sublayer_twice(student):
    """Two forward passes before the backward pass of the first."""
    W = np.eye(2)
    _, cache = expect_tuple(student.sublayer_forward(np.zeros((1, 2)), W), "a", "cache")
    student.sublayer_forward(np.ones((1, 2)), W)
    dx = student.sublayer_backward(np.array([[1.0, 2.0]]), cache, W)
    assert_close(dx, np.array([[1.0, 2.0]]), what="dx of the first pass", axes="BC")


# --- run_stack ---


@task("run_stack")
def test_stack_of_silence(student):
    """Weights that are all zero: everything survives with skip paths, nothing without."""
    Ws = [np.zeros((16, 16))] * 3
    assert_close(student.run_stack(3, True, Ws), 8.0, what="the norm with skip paths")
    assert_close(student.run_stack(3, False, Ws), 0.0, what="the norm without skip paths")


@task("run_stack")
def test_stack_of_silence_and_noise(student):
    """A silent layer, then one with such large weights that every tanh is flat."""
    Ws = [np.zeros((16, 16)), 1e4 * np.eye(16)]
    assert_close(student.run_stack(2, True, Ws), 8.0, what="the norm with skip paths")


@task("run_stack")
def test_stack_of_small_multiples(student):
    """Weights that are small multiples of the identity: each layer multiplies by its own."""
    Ws = [factor * np.eye(16) for factor in (1e-5, 2e-5, 3e-5)]
    norms = {1: (8e-5, 8 * 1.00001), 2: (1.6e-9, 8 * 1.00001 * 1.00002)}
    for N, (plain, res) in norms.items():
        for skip, expected in ((False, plain), (True, res)):
            what = f"the norm at depth {N} {'with' if skip else 'without'} skip paths"
            assert_close(student.run_stack(N, skip, Ws), expected, what=what, rtol=1e-7)


@task("run_stack")
def test_stack_of_two_steps(student):
    """Two weights with a single small entry each, which lead from channel 2 to 1 and on to 0."""
    first, second = np.zeros((16, 16)), np.zeros((16, 16))
    first[0, 1], second[1, 2] = 1e-5, 3e-5
    norm = student.run_stack(2, False, [first, second])
    assert_close(norm, 2 * 3e-10, what="the norm without skip paths", rtol=1e-7)


@task("run_stack")
def test_stack_repeats_itself(student):
    """The same measurement twice."""
    Ws = [np.diag(np.linspace(-1.0, 1.0, 16)), np.diag(np.linspace(1.0, 0.5, 16))]
    first = student.run_stack(2, True, Ws)
    assert_close(student.run_stack(2, True, Ws), first, what="the second measurement")


# --- gradient_table ---


@task("gradient_table")
def test_bank_of_weights(student):
    """How many matrices, their shape, and the first number drawn after seed 42."""
    bank = expect_tuple(student.weight_bank(4.0), *(f"W{i}" for i in range(20)))
    for W in bank:
        require(np.shape(W) == (16, 16), f"a matrix should be (16, 16), yours is {np.shape(W)}")
    assert_printed(bank[0][0, 0], "0.496714", what="the first entry at scale 4")
    require(not np.array_equal(bank[0], bank[1]), "the matrices of a bank should all be different")
    again = expect_tuple(student.weight_bank(4.0), *(f"W{i}" for i in range(20)))
    for W, V in zip(bank, again):
        require(np.array_equal(W, V), "the same arguments should give the same bank")
    small = expect_tuple(student.weight_bank(1.0, 4, 2, 0), "W0", "W1")
    for W in small:
        require(np.shape(W) == (4, 4), f"a matrix should be (4, 4), yours is {np.shape(W)}")


@task("gradient_table")
def test_table_of_this_lesson(student):
    """The table shown in the lesson, byte for byte."""
    table = student.gradient_table(student.weight_bank(0.5), [1, 5, 10, 20])
    assert_text(table, LESSON_TABLE, what="the table")


@task("gradient_table")
def test_table_of_a_silent_bank(student):
    """Rows for a bank of zeros: what can be known without measuring."""
    table = student.gradient_table([np.zeros((16, 16))] * 3, [3, 2])
    require(type(table) is str, "the table should be a string")
    rows = "\n".join(table.split("\n")[2:])
    expected = "       3 |   0.000000e+00 |       8.000000\n       2 |   0.000000e+00 |       8.000000"
    assert_text(rows, expected, what="the rows")


# --- residual_pair ---


@task("residual_pair")
def test_pair_of_zero_weights(student):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, dout, W = np.array([[0.3, -0.1]]), np.array([[2.0, 0.7]]), np.zeros((2, 2))
    out, cache = expect_tuple(student.residual_forward(x, W), "out", "cache")
    assert_exact(out, x, what="out", axes="BC")
    assert_exact(student.residual_backward(dout, cache), dout, what="dx", axes="BC")


@task("residual_pair")
def test_pair_backward_at_zero(student):
    """The backward pass at x = 0, where the slope of tanh is 1."""
    x, W = np.zeros((1, 2)), np.array([[1.0, 2.0], [3.0, 4.0]])
    _, cache = expect_tuple(student.residual_forward(x, W), "out", "cache")
    dx = student.residual_backward(np.array([[1.0, 10.0]]), cache)
    assert_close(dx, np.array([[22.0, 53.0]]), what="dx", axes="BC")


@task("residual_pair")
def test_pair_slope(student):
    """The backward pass against the slopes of the loss along random directions."""
    rng = np.random.default_rng(2)
    W = rng.standard_normal((3, 3))
    for shape in ((2, 3), (2, 4, 3)):
        along_directions(
            lambda v: student.residual_forward(v, W),
            student.residual_backward,
            rng.standard_normal(shape),
            rng.standard_normal(shape),
        )


# --- gradient_check ---


@task("gradient_check")
def test_numerical_gradient_of_squares(student):
    """The sum of squares at [1, -2, 3]."""
    x = student.put(np.array([1.0, -2.0, 3.0]))
    gradient = student.numerical_gradient(lambda v: float(np.sum(v**2)), x)
    assert_close(gradient, np.array([2.0, -4.0, 6.0]), what="the gradient", rtol=1e-4)
    assert_close(student.get(x), np.array([1.0, -2.0, 3.0]), what="x after the call")


@task("gradient_check")
def test_numerical_gradient_of_cubes(student):
    """The sum of cubes at [[1, 2]] with a step of 0.1, worked by hand with both neighbours."""
    x = np.array([[1.0, 2.0]])
    gradient = student.numerical_gradient(lambda v: float(np.sum(v**3)), x, 0.1)
    assert_close(gradient, np.array([[3.01, 12.01]]), what="the gradient")


@task("gradient_check")
def test_relative_error_by_hand(student):
    """Errors that can be worked out in the head, and the error of zeros."""
    error = student.max_relative_error
    assert_close(error(np.array([1.0, 3.0]), np.array([1.0, 1.0])), 0.5, what="error", rtol=1e-7)
    assert_close(error(np.array([[1.0]]), np.array([[3.0]])), 0.5, what="error", rtol=1e-7)
    assert_close(error(np.zeros(2), np.zeros(2)), 0.0, what="the error of zeros")


# --- exercise_1 ---


@task("exercise_1")
def test_weakened_layout(student):
    """The layout of the new table and the depths in it."""
    table = student.weakened_table()
    require(type(table) is str, "the table should be a string")
    lines, lesson = table.split("\n"), LESSON_TABLE.split("\n")
    require(len(lines) == len(lesson), f"the table should have 6 lines, yours has {len(lines)}")
    assert_text("\n".join(lines[:2]), "\n".join(lesson[:2]), what="the first two lines")
    for mine, theirs in zip(lines[2:], lesson[2:]):
        assert_text(mine[:8], theirs[:8], what="the depths")
        require(mine != theirs, "a bank of another scale should give other numbers")


@task("exercise_1")
def test_weakened_answer_types(student):
    """Whether there are two answers, each True or False."""
    answers = expect_tuple(student.weakened_answers(), "plain_decays", "residual_healthy")
    for name, answer in zip(("plain_decays", "residual_healthy"), answers):
        expect_bool(answer, what=name)
    told_later()


# --- exercise_2 ---


@task("exercise_2")
def test_two_by_hand(student):
    """One channel, x = 1 and both weights 1, tanh from a pocket calculator."""
    one = np.ones((1, 1))
    out, _ = expect_tuple(student.two_residual_forward(one, one, one), "out", "cache")
    assert_close(out, np.array([[2.70427495]]), what="out", rtol=1e-7, axes="BC")


@task("exercise_2")
def test_two_backward_at_zero(student):
    """The backward pass at x = 0 with weights 2 and 3, where every slope of tanh is 1."""
    W_f, W_g = np.array([[2.0]]), np.array([[3.0]])
    out = student.two_residual_forward(np.zeros((1, 1)), W_f, W_g)
    _, cache = expect_tuple(out, "out", "cache")
    dx = student.two_residual_backward(np.ones((1, 1)), cache)
    assert_close(dx, np.array([[12.0]]), what="dx", axes="BC")


@task("exercise_2")
def test_two_slope(student):
    """The backward pass against the slopes of the loss along random directions."""
    rng = np.random.default_rng(3)
    W_f, W_g = rng.standard_normal((2, 3, 3))
    for shape in ((2, 3), (2, 4, 3)):
        along_directions(
            lambda v: student.two_residual_forward(v, W_f, W_g),
            student.two_residual_backward,
            rng.standard_normal(shape),
            rng.standard_normal(shape),
        )


# --- exercise_3 ---


@task("exercise_3")
def test_ratios_of_known_weights(student):
    """Weights that are zero, and weights that are small multiples of the identity."""
    zeros = [np.zeros((16, 16))] * 3
    ratios = expect_tuple(student.preservation_ratios(zeros, [1, 3]), "depth 1", "depth 3")
    assert_close(np.array(ratios), np.ones(2), what="the ratios for zero weights")
    small = [factor * np.eye(16) for factor in (1e-5, 2e-5)]
    ratios = expect_tuple(student.preservation_ratios(small, [2, 1]), "depth 2", "depth 1")
    expected = np.array([1.0000300002, 1.00001])
    assert_close(np.array(ratios), expected, what="the ratios for small weights", rtol=1e-7)
