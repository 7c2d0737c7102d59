"""The checks that students run themselves: small numbers worked by hand, properties, and slopes."""

import numpy as np

from autograder.testing import assert_close, assert_exact, assert_text, assert_unchanged, expect_tuple, require, task

LESSON_TABLE = """\
 depth N |   stream res |   stream pre |     grad res |     grad pre
--------------------------------------------------------------------
       1 |     9.061506 |     9.098291 |     8.671100 |     8.583770
       5 |    11.897869 |    10.823951 |    14.544574 |    10.801351
      10 |    13.458295 |    11.229363 |    18.981747 |    15.100745
      20 |    20.842430 |    15.302954 |    25.643279 |    36.540753
      50 |    35.373913 |    22.560219 |    48.116974 |    44.784186
     100 |    74.563938 |    37.715616 |   153.000029 |    72.572122"""

SPIKE = np.array([0.0, 0.0, 0.0, 4.0])  # mean 1 and variance 3: with eps = 1 the root is 2


def output(returned):
    out, _ = expect_tuple(returned, "out", "cache")
    return out


def require_shape(value, shape, what):
    require(np.shape(value) == shape, f"{what} should have shape {shape}, yours has {np.shape(value)}")


def along_directions(forward, backward, arguments, dout, which, name):
    """Compare one gradient with the slopes of the loss sum(dout * out) along six random directions.

    forward: function of the arguments that returns (out, cache)
    backward: function of (dout, cache) that returns (dx, dgain, dbias)
    which: the place of the moved argument among the arguments and of its gradient
    """
    _, cache = expect_tuple(forward(*arguments), "out", "cache")
    gradient = expect_tuple(backward(dout, cache), "dx", "dgain", "dbias")[which]
    require_shape(gradient, arguments[which].shape, name)
    directions = np.random.default_rng(5).standard_normal((6, *arguments[which].shape))
    slopes = []
    for direction in directions:
        losses = []
        for step in (1e-5, -1e-5):
            moved = [a + step * direction if i == which else a for i, a in enumerate(arguments)]
            losses.append(float(np.sum(dout * output(forward(*moved)))))
        slopes.append((losses[0] - losses[1]) / 2e-5)
    what = f"{name}, by the slopes of the loss along six directions"
    mine = np.array([float(np.sum(gradient * direction)) for direction in directions])
    inputs = {"dout": np.array([float(np.sum(dout * direction)) for direction in directions])} if which == 0 else {}
    assert_close(mine, np.array(slopes), what=what, rtol=1e-4, inputs=inputs)


# --- normalize ---


@task("normalize")
def test_forward_by_hand(student):
    """x = [[1, 3], [10, 20]] with eps = 0, then with a gain and a bias."""
    x = np.array([[1.0, 3.0], [10.0, 20.0]])
    out = output(student.layernorm_forward(x, np.ones(2), np.zeros(2), 0.0))
    assert_close(out, np.array([[-1.0, 1.0], [-1.0, 1.0]]), what="out", axes="BC")
    out = output(student.layernorm_forward(x, np.array([10.0, 100.0]), np.array([1.0, 2.0]), 0.0))
    assert_close(out, np.array([[-9.0, 102.0], [-9.0, 102.0]]), what="out with gain and bias", axes="BC")


@task("normalize")
def test_forward_eps_by_hand(student):
    """x = [0, 0, 0, 4] with eps = 1."""
    out = output(student.layernorm_forward(SPIKE, np.ones(4), np.zeros(4), 1.0))
    assert_close(out, np.array([-0.5, -0.5, -0.5, 1.5]), what="out", axes="C")


@task("normalize")
def test_forward_constant_row(student):
    """A constant row: out must be the bias."""
    x, bias = np.array([[2.0, 2.0, 2.0, 2.0], [0.0, 1.0, 0.0, 1.0]]), np.array([1.0, 2.0, 3.0, 4.0])
    out = output(student.layernorm_forward(x, np.ones(4), bias))
    require_shape(out, (2, 4), "out")
    assert_close(out[0], bias, what="out for the constant row", axes="C")


@task("normalize")
def test_forward_rows_apart(student):
    """A batch of sequences gives for each row what the row gives alone."""
    rng = np.random.default_rng(1)
    x, (gain, bias) = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 4))
    out = output(student.layernorm_forward(x, gain, bias))
    require_shape(out, (2, 3, 4), "out")
    for b, t in np.ndindex(2, 3):
        assert_close(
            output(student.layernorm_forward(x[b, t], gain, bias)), out[b, t], what="out for one row", axes="C"
        )


@task("normalize")
def test_forward_leaves_arguments_alone(student):
    """Whether x, gain and bias are the same after the call."""
    values = np.array([[1.0, 3.0, 5.0]]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    kept = [student.put(value) for value in values]
    student.layernorm_forward(*kept)
    for name, value, handle in zip(("x", "gain", "bias"), values, kept):
        assert_unchanged(student.get(handle), value, what=name)


# --- jacobian ---


@task("jacobian")
def test_jacobian_by_hand(student):
    """x = [0, 0, 0, 4] with eps = 1 and the gains 32, 32, 32 and 64."""
    J = student.layernorm_jacobian(SPIKE, np.array([32.0, 32.0, 32.0, 64.0]), 1.0)
    rows = [[11, -5, -5, -1], [-5, 11, -5, -1], [-5, -5, 11, -1], [-2, -2, -2, 6]]
    assert_close(J, np.array(rows, dtype=float), what="the Jacobian")


@task("jacobian")
def test_jacobian_is_blind_for_a_lift(student):
    """The product with a vector of ones: a lifted row has the same output."""
    rng = np.random.default_rng(2)
    J = student.layernorm_jacobian(rng.standard_normal(5), rng.standard_normal(5))
    require_shape(J, (5, 5), "the Jacobian")
    # What is left is rounding: this rtol lets an entry be 1e-9 away from zero.
    assert_close(J @ np.ones(5), np.zeros(5), what="the Jacobian times ones", rtol=1e-4)


@task("jacobian")
def test_jacobian_slopes(student):
    """Each column against the slopes of your own forward pass."""
    rng = np.random.default_rng(3)
    x, gain = rng.standard_normal((2, 5))
    J = student.layernorm_jacobian(x, gain)
    require_shape(J, (5, 5), "the Jacobian")
    for i in range(5):
        step = np.zeros(5)
        step[i] = 1e-5
        ends = [output(student.layernorm_forward(x + s, gain, np.zeros(5))) for s in (step, -step)]
        assert_close(J[:, i], (ends[0] - ends[1]) / 2e-5, what=f"column {i} of the Jacobian", rtol=1e-4)


# --- backward ---


@task("backward")
def test_backward_by_hand(student):
    """x = [0, 0, 0, 4] with eps = 1 and the upstream gradient [1, 0, 0, 0], with and without gain."""
    for gain, dx in ((1.0, [11.0, -5.0, -5.0, -1.0]), (-3.0, [-33.0, 15.0, 15.0, 3.0])):
        _, cache = expect_tuple(student.layernorm_forward(SPIKE, gain * np.ones(4), np.zeros(4), 1.0), "out", "cache")
        gradients = student.layernorm_backward(np.array([1.0, 0.0, 0.0, 0.0]), cache)
        mine, dgain, dbias = expect_tuple(gradients, "dx", "dgain", "dbias")
        assert_close(mine, np.array(dx) / 32, what=f"dx for gains of {gain:g}", axes="C")
        assert_close(dgain, np.array([-0.5, 0.0, 0.0, 0.0]), what="dgain", axes="C")
        assert_close(dbias, np.array([1.0, 0.0, 0.0, 0.0]), what="dbias", axes="C")


@task("backward")
def test_backward_shapes(student):
    """The shapes of the three gradients, for none, one, two and three axes before the channels."""
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 2, 3, 4)):
        x = np.arange(float(np.prod(shape))).reshape(shape) ** 2
        _, cache = expect_tuple(student.layernorm_forward(x, np.ones(4), np.zeros(4)), "out", "cache")
        gradients = expect_tuple(student.layernorm_backward(np.ones(shape), cache), "dx", "dgain", "dbias")
        for name, gradient, wanted in zip(("dx", "dgain", "dbias"), gradients, (shape, (4,), (4,))):
            require_shape(gradient, wanted, f"{name} for x of shape {shape}")


@task("backward")
def test_backward_row_sums(student):
    """The sum of dx over each row, for a random upstream gradient."""
    rng = np.random.default_rng(4)
    x, dout = rng.standard_normal((2, 3, 5))
    gain, bias = rng.standard_normal((2, 5))
    _, cache = expect_tuple(student.layernorm_forward(x, gain, bias), "out", "cache")
    dx, _, _ = expect_tuple(student.layernorm_backward(dout, cache), "dx", "dgain", "dbias")
    require_shape(dx, (3, 5), "dx")
    # What is left is rounding: this rtol lets a sum be 1e-9 away from zero.
    assert_close(dx.sum(axis=-1), np.zeros(3), what="the sum of dx over each row", rtol=1e-4)


@task("backward")
def test_backward_slopes(student):
    """All three gradients against the slopes of the loss along random directions."""
    rng = np.random.default_rng(6)
    for shape in ((3, 5), (2, 3, 5)):
        arguments = (rng.standard_normal(shape), *rng.standard_normal((2, 5)))
        dout = rng.standard_normal(shape)
        for which, name in enumerate(("dx", "dgain", "dbias")):
            along_directions(student.layernorm_forward, student.layernorm_backward, arguments, dout, which, name)


@task("backward")
def test_backward_twice(student):
    """Two forward passes before the backward pass of the first; dout must be the same after it."""
    gain, bias = np.full(4, 2.0), np.zeros(4)
    _, cache = expect_tuple(student.layernorm_forward(SPIKE, gain, bias, 1.0), "out", "cache")
    student.layernorm_forward(np.array([1.0, 2.0, 3.0, 5.0]), 7 * gain, bias)
    dout = student.put(np.array([1.0, 0.0, 0.0, 0.0]))
    dx, _, _ = expect_tuple(student.layernorm_backward(dout, cache), "dx", "dgain", "dbias")
    assert_close(dx, np.array([11.0, -5.0, -5.0, -1.0]) / 16, what="dx of the first pass")
    assert_unchanged(student.get(dout), np.array([1.0, 0.0, 0.0, 0.0]), what="dout")


# --- gradient_check ---

ERRORS = ("error_x", "error_gain", "error_bias")


def linear_layer(factors):
    """The layer gain * x + bias, whose three gradients are returned times the three factors."""

    def forward(x, gain, bias):
        return gain * x + bias, (x, gain)

    def backward(dout, cache):
        x, gain = cache
        return factors[0] * dout * gain, factors[1] * (dout * x).sum(axis=0), factors[2] * dout.sum(axis=0)

    return forward, backward


def linear_trial(student, factors):
    x, dout = np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([[1.0, -2.0], [0.5, 3.0]])
    errors = student.check_layernorm(*linear_layer(factors), x, np.array([2.0, -1.0]), np.array([0.5, 4.0]), dout)
    return expect_tuple(errors, *ERRORS)


@task("gradient_check")
def test_judge_acquits(student):
    """A small layer, gain * x + bias, with the right gradients."""
    for name, error in zip(ERRORS, linear_trial(student, (1.0, 1.0, 1.0))):
        # This rtol lets a number be 1e-4 away from zero.
        assert_close(error, 0.0, what=name, rtol=10.0)


@task("gradient_check")
def test_judge_convicts(student):
    """The same layer with one gradient after the other three times too large: an error of one half."""
    for guilty in range(3):
        factors = [3.0 if place == guilty else 1.0 for place in range(3)]
        for place, (name, error) in enumerate(zip(ERRORS, linear_trial(student, factors))):
            wrong = place == guilty
            assert_close(error, 0.5 if wrong else 0.0, what=name, rtol=1e-4 if wrong else 10.0)


# --- prenorm_block ---


@task("prenorm_block")
def test_block_of_zero_weights(student):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, dout = np.array([[0.3, -0.1, 2.0, 0.7]]), np.array([[2.0, 0.7, -0.1, 0.3]])
    result = student.prenorm_forward(x, np.zeros((4, 4)), np.ones(4), np.zeros(4))
    out, cache = expect_tuple(result, "out", "cache")
    assert_exact(out, x, what="out", axes="BC")
    dx, _, _ = expect_tuple(student.prenorm_backward(dout, cache), "dx", "dgain", "dbias")
    assert_exact(dx, dout, what="dx", axes="BC")


@task("prenorm_block")
def test_block_of_one_bias(student):
    """All gains zero: the branch reads nothing but the bias, tanh from a pocket calculator."""
    x, bias = np.array([[5.0, -1.0, 0.0, 2.0]]), np.array([1.0, 0.0, 0.0, 0.0])
    W = np.array([[0.5, -1.0, 0.0, 2.0]] + [[9.0, 9.0, 9.0, 9.0]] * 3)
    out = output(student.prenorm_forward(x, W, np.zeros(4), bias))
    assert_close(out - x, np.array([[0.46211716, -0.76159416, 0.0, 0.96402758]]), what="out - x", rtol=1e-6)


@task("prenorm_block")
def test_block_of_a_lifted_stream(student):
    """An input that is lifted by 2: the output is lifted by 2 as well."""
    rng = np.random.default_rng(8)
    x, W, (gain, bias) = rng.standard_normal((3, 5)), rng.standard_normal((5, 5)), rng.standard_normal((2, 5))
    out = output(student.prenorm_forward(x, W, gain, bias))
    require_shape(out, (3, 5), "out")
    assert_close(
        output(student.prenorm_forward(x + 2, W, gain, bias)), out + 2, what="out for the lifted input", axes="BC"
    )


@task("prenorm_block")
def test_block_slopes(student):
    """All three gradients against the slopes of the loss along random directions."""
    rng = np.random.default_rng(9)
    W = rng.standard_normal((5, 5)) / np.sqrt(5)
    for shape in ((3, 5), (2, 3, 5)):
        arguments = (rng.standard_normal(shape), *rng.standard_normal((2, 5)))
        dout = rng.standard_normal(shape)
        for which, name in enumerate(("dx", "dgain", "dbias")):
            along_directions(
                lambda x, gain, bias: student.prenorm_forward(x, W, gain, bias),
                student.prenorm_backward,
                arguments,
                dout,
                which,
                name,
            )


# --- stack_norms ---


def norms(student, x, Ws, prenorm):
    return expect_tuple(student.stack_norms(x, Ws, prenorm), "stream", "gradient")


@task("stack_norms")
def test_stack_of_silence(student):
    """x = [[3, 4, 0, 0]] under no layers, and under layers whose weights are all zero."""
    for prenorm in (False, True):
        for Ws in ([], [np.zeros((4, 4))] * 3):
            stream, gradient = norms(student, np.array([[3.0, 4.0, 0.0, 0.0]]), Ws, prenorm)
            assert_close(stream, 5.0, what="the norm of the stream")
            assert_close(gradient, 2.0, what="the norm of the gradient")


@task("stack_norms")
def test_stack_of_small_multiples(student):
    """Plain residual layers whose weights are small multiples of the identity."""
    Ws = [factor * np.eye(4) for factor in (1e-5, 2e-5, 3e-5)]
    stream, gradient = norms(student, np.array([[3.0, 4.0, 0.0, 0.0]]), Ws, False)
    factor = 1.00001 * 1.00002 * 1.00003
    assert_close(stream, 5 * factor, what="the norm of the stream", rtol=1e-7)
    assert_close(gradient, 2 * factor, what="the norm of the gradient", rtol=1e-7)


@task("stack_norms")
def test_stack_keeps_the_row_sums(student):
    """The norm of the gradient under pre-norm layers, which cannot be less than at the top."""
    rng = np.random.default_rng(10)
    x = rng.standard_normal((3, 4))
    for scale in (-0.5, 0.5, 2.0):
        _, gradient = norms(student, x, [scale * np.eye(4), scale * rng.standard_normal((4, 4))], True)
        require(np.shape(gradient) == (), "the norm of the gradient should be a number")
        require(gradient > np.sqrt(12.0) - 1e-9, "no weights can make it less than the norm of all ones")


@task("stack_norms")
def test_stack_repeats_itself(student):
    """The same measurement twice, and whether x is the same afterwards."""
    x = np.array([[3.0, 4.0, 0.0, 1.0]])
    kept = student.put(x)
    Ws = [np.diag([1.0, 0.5, -0.5, 0.2]), np.diag([0.1, -1.0, 0.7, 0.2])]
    first = norms(student, kept, Ws, True)
    second = norms(student, kept, Ws, True)
    for name, one, other in zip(("stream", "gradient"), first, second):
        require(np.shape(one) == (), f"the norm of the {name} should be a number")
        assert_close(other, float(one), what=f"the norm of the {name}, measured again")
    assert_unchanged(student.get(kept), x, what="x")


# --- drift_table ---


@task("drift_table")
def test_table_of_the_lesson(student):
    """The table shown in the lesson, byte for byte."""
    np.random.seed(42)
    Ws = [np.random.randn(16, 16) * (0.5 / np.sqrt(16)) for _ in range(100)]
    assert_text(student.drift_table(Ws, [1, 5, 10, 20, 50, 100]), LESSON_TABLE, what="the table")


@task("drift_table")
def test_table_of_a_silent_bank(student):
    """Rows for a bank of zeros: what can be known without measuring."""
    table = student.drift_table([np.zeros((16, 16))] * 3, [3, 2])
    require(type(table) is str, "the table should be a string")
    numbers = " |     8.483582 |     8.483582 |     8.000000 |     8.000000"
    assert_text("\n".join(table.split("\n")[2:]), f"       3{numbers}\n       2{numbers}", what="the rows")
