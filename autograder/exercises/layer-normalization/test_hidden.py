"""Hidden tests of layer normalization in NumPy, float64 throughout.

Rows have at least four channels: two statistics take two dimensions out of a gradient, so with two
channels nothing but rounding would be left of it.
"""

import re

import numpy as np
import pytest

from autograder.testing import (
    assert_close,
    assert_exact,
    assert_printed,
    assert_text,
    expect_tuple,
    require,
    task,
)

SHAPES = [(6,), (3, 5), (4, 4), (2, 3, 6)]  # (C,), (B, C) twice and (B, T, C)
BLOCK_SHAPES = SHAPES[1:]
GRADIENTS = ("dx", "dgain", "dbias")

TABLE = """\
 depth N |   stream res |   stream pre |     grad res |     grad pre
--------------------------------------------------------------------
       1 |     9.061506 |     9.098291 |     8.671100 |     8.583770
       5 |    11.897869 |    10.823951 |    14.544574 |    10.801351
      10 |    13.458295 |    11.229363 |    18.981747 |    15.100745
      20 |    20.842430 |    15.302954 |    25.643279 |    36.540753
      50 |    35.373913 |    22.560219 |    48.116974 |    44.784186
     100 |    74.563938 |    37.715616 |   153.000029 |    72.572122"""
DEPTHS = [1, 5, 10, 20, 50, 100]


def draw(rng, shape):
    """An input whose rows differ in height and loudness, a gain and a bias."""
    one_per_row = (*shape[:-1], 1)
    x = rng.uniform(0.5, 3.0, one_per_row) * rng.standard_normal(shape) + 3 * rng.standard_normal(one_per_row)
    gain, bias = rng.standard_normal((2, shape[-1]))
    return x, gain, bias


def draw_block(rng, shape):
    x, gain, bias = draw(rng, shape)
    C = shape[-1]
    return x, rng.standard_normal((C, C)) / np.sqrt(C), gain, bias


def shape_after_shape(values):
    return "x".join(map(str, values)) if isinstance(values, tuple) else None


shapes = pytest.mark.parametrize("shape", SHAPES, ids=shape_after_shape)
block_shapes = pytest.mark.parametrize("shape", BLOCK_SHAPES, ids=shape_after_shape)


# --- normalize ---


def forward(student, *arguments):
    out, _ = expect_tuple(student.layernorm_forward(*arguments), "out", "cache")
    return out


@task("normalize", weight=2)
@shapes
def test_forward(student, reference, rng, shape):
    """A random input with a random gain and bias."""
    arguments = draw(rng, shape)
    assert_close(forward(student, *arguments), reference.layernorm_forward(*arguments)[0], what="out")


@task("normalize")
@pytest.mark.parametrize("eps", [0.0, 1e-3, 0.5, 10.0])
def test_forward_eps(student, reference, rng, eps):
    """A random input with another eps."""
    arguments = (*draw(rng, (3, 5)), eps)
    assert_close(forward(student, *arguments), reference.layernorm_forward(*arguments)[0], what="out")


@task("normalize")
def test_forward_quiet_rows(student, reference, rng):
    """Rows whose variance is about as small as the default eps."""
    x, gain, bias = draw(rng, (4, 5))
    x = 2e-3 * x
    assert_close(forward(student, x, gain, bias), reference.layernorm_forward(x, gain, bias)[0], what="out")


@task("normalize")
def test_forward_constant_rows(student, reference, rng):
    """Rows that are constant, between others that are not."""
    x, gain, bias = draw(rng, (4, 4))
    x[0], x[2] = 2.0, 0.0
    assert_close(forward(student, x, gain, bias), reference.layernorm_forward(x, gain, bias)[0], what="out")


@task("normalize")
def test_forward_rows_apart(student, reference, rng):
    """The same row alone and in the company of others."""
    x, gain, bias = draw(rng, (2, 3, 5))
    expected = reference.layernorm_forward(x, gain, bias)[0]
    assert_close(forward(student, x, gain, bias), expected, what="out")
    assert_close(forward(student, x[1], gain, bias), expected[1], what="out for one sequence")
    assert_close(forward(student, x[1, 2], gain, bias), expected[1, 2], what="out for one row")


@task("normalize")
def test_forward_leaves_arguments(student, reference, rng):
    """Whether x, gain and bias are the same after the call, and out is right all the same."""
    arguments = draw(rng, (3, 5))
    kept = [student.put(value) for value in arguments]
    assert_close(forward(student, *kept), reference.layernorm_forward(*arguments)[0], what="out")
    for name, value, handle in zip(("x", "gain", "bias"), arguments, kept):
        assert_exact(student.get(handle), value, what=f"{name} after the call")


# --- jacobian ---


@task("jacobian")
@pytest.mark.parametrize("C", [4, 5, 9])
def test_jacobian(student, reference, rng, C):
    """The Jacobian of a random row with a random gain."""
    x, gain, _ = draw(rng, (C,))
    assert_close(student.layernorm_jacobian(x, gain), reference.layernorm_jacobian(x, gain), what="the Jacobian")


@task("jacobian")
def test_jacobian_without_gain(student, reference, rng):
    """The Jacobian of a random row, all gains one."""
    x, gain = draw(rng, (6,))[0], np.ones(6)
    assert_close(student.layernorm_jacobian(x, gain), reference.layernorm_jacobian(x, gain), what="the Jacobian")


@task("jacobian")
@pytest.mark.parametrize("eps", [0.0, 0.5, 10.0])
def test_jacobian_eps(student, reference, rng, eps):
    """The Jacobian with another eps."""
    x, gain, _ = draw(rng, (5,))
    expected = reference.layernorm_jacobian(x, gain, eps)
    assert_close(student.layernorm_jacobian(x, gain, eps), expected, what="the Jacobian")


@task("jacobian")
def test_jacobian_quiet_row(student, reference, rng):
    """The Jacobian of a row whose variance is about as small as the default eps, and of a constant one."""
    x, gain, _ = draw(rng, (4,))
    for row in (2e-3 * x, np.full(4, 2.0)):
        expected = reference.layernorm_jacobian(row, gain)
        assert_close(student.layernorm_jacobian(row, gain), expected, what="the Jacobian")


@task("jacobian")
def test_jacobian_measured(student, reference):
    """The Jacobian against finite differences of the outputs."""
    rng = np.random.default_rng(12)
    x, gain, bias = draw(rng, (5,))
    rows = [
        reference.numerical_gradient(lambda v, j=j: reference.layernorm_forward(v, gain, bias)[0][j], x)
        for j in range(5)
    ]
    assert_close(student.layernorm_jacobian(x, gain), np.array(rows), what="the Jacobian", rtol=1e-4)


@task("jacobian")
def test_jacobian_leaves_arguments(student, reference, rng):
    """Whether x and gain are the same after the call, and the Jacobian is right all the same."""
    x, gain, _ = draw(rng, (5,))
    kept = student.put(x), student.put(gain)
    assert_close(student.layernorm_jacobian(*kept), reference.layernorm_jacobian(x, gain), what="the Jacobian")
    assert_exact(student.get(kept[0]), x, what="x after the call")
    assert_exact(student.get(kept[1]), gain, what="gain after the call")


# --- backward ---


def backward(student, dout, *arguments):
    _, cache = expect_tuple(student.layernorm_forward(*arguments), "out", "cache")
    return expect_tuple(student.layernorm_backward(dout, cache), *GRADIENTS)


def expected_backward(reference, dout, *arguments):
    return reference.layernorm_backward(dout, reference.layernorm_forward(*arguments)[1])


def assert_gradients(actual, expected, names=GRADIENTS):
    for name, mine, wanted in zip(names, actual, expected):
        assert_close(mine, wanted, what=name)


@task("backward", weight=2)
@shapes
def test_backward_dx(student, reference, rng, shape):
    """The gradient of x for a random upstream gradient and a random gain."""
    arguments, dout = draw(rng, shape), rng.standard_normal(shape)
    dx, _, _ = backward(student, dout, *arguments)
    assert_close(dx, expected_backward(reference, dout, *arguments)[0], what="dx")


@task("backward")
@shapes
def test_backward_dgain(student, reference, rng, shape):
    """The gradient of the gain for a random upstream gradient."""
    arguments, dout = draw(rng, shape), rng.standard_normal(shape)
    _, dgain, _ = backward(student, dout, *arguments)
    assert_close(dgain, expected_backward(reference, dout, *arguments)[1], what="dgain")


@task("backward")
@shapes
def test_backward_dbias(student, reference, rng, shape):
    """The gradient of the bias for a random upstream gradient."""
    arguments, dout = draw(rng, shape), rng.standard_normal(shape)
    _, _, dbias = backward(student, dout, *arguments)
    assert_close(dbias, expected_backward(reference, dout, *arguments)[2], what="dbias")


@task("backward")
def test_backward_four_axes(student, reference, rng):
    """All three gradients for an input with three axes in front of the channels."""
    arguments, dout = draw(rng, (2, 3, 2, 5)), rng.standard_normal((2, 3, 2, 5))
    assert_gradients(backward(student, dout, *arguments), expected_backward(reference, dout, *arguments))


@task("backward")
@pytest.mark.parametrize("eps", [0.0, 0.5, 10.0])
def test_backward_eps(student, reference, rng, eps):
    """All three gradients after a forward pass with another eps."""
    arguments, dout = (*draw(rng, (3, 5)), eps), rng.standard_normal((3, 5))
    assert_gradients(backward(student, dout, *arguments), expected_backward(reference, dout, *arguments))


@task("backward")
def test_backward_quiet_rows(student, reference, rng):
    """All three gradients for rows that are very quiet, and for one that is constant."""
    x, gain, bias = draw(rng, (4, 4))
    x *= 2e-3
    x[1] = 2.0
    dout = rng.standard_normal((4, 4))
    assert_gradients(backward(student, dout, x, gain, bias), expected_backward(reference, dout, x, gain, bias))


@task("backward")
def test_backward_all_ones(student, reference, rng):
    """An all-ones upstream gradient, with a random gain and with all gains one."""
    x, gain, bias = draw(rng, (3, 5))
    ones = np.ones((3, 5))
    assert_gradients(backward(student, ones, x, gain, bias), expected_backward(reference, ones, x, gain, bias))
    dx, dgain, dbias = backward(student, ones, x, np.ones(5), bias)
    # What is left of dx is rounding: this rtol lets an entry be 1e-9 away from zero.
    assert_close(dx, np.zeros((3, 5)), what="dx with all gains one", rtol=1e-4)
    expected = expected_backward(reference, ones, x, np.ones(5), bias)
    assert_gradients((dgain, dbias), expected[1:], ("dgain", "dbias"))


@task("backward")
def test_backward_measured(student, reference):
    """All three gradients against finite differences of the loss, for two upstream gradients."""
    rng = np.random.default_rng(5)
    arguments, random = draw(rng, (2, 5)), rng.standard_normal((2, 5))
    for dout in (random, np.arange(10.0).reshape(2, 5)):
        gradients = backward(student, dout, *arguments)
        for place, (name, gradient) in enumerate(zip(GRADIENTS, gradients)):

            def loss(v, place=place, dout=dout):
                moved = (*arguments[:place], v, *arguments[place + 1 :])
                return np.sum(dout * reference.layernorm_forward(*moved)[0])

            measured = reference.numerical_gradient(loss, arguments[place])
            assert_close(gradient, measured, what=name, rtol=1e-4)


@task("backward")
def test_backward_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes, one of which runs twice."""
    passes = [(draw(rng, (3, 5)), rng.standard_normal((3, 5))) for _ in range(2)]
    returned = [expect_tuple(student.layernorm_forward(*arguments), "out", "cache") for arguments, _ in passes]
    caches = [student.put(cache) for _, cache in returned]  # there, so that both calls get the same object
    for place in (0, 1, 0):
        arguments, dout = passes[place]
        gradients = expect_tuple(student.layernorm_backward(dout, caches[place]), *GRADIENTS)
        assert_gradients(gradients, expected_backward(reference, dout, *arguments))


@task("backward")
def test_backward_leaves_arguments(student, reference, rng):
    """Whether dout, x and gain are the same after both passes, and the gradients are right."""
    arguments, dout = draw(rng, (3, 5)), rng.standard_normal((3, 5))
    kept, kept_dout = [student.put(value) for value in arguments], student.put(dout)
    gradients = backward(student, kept_dout, *kept)
    assert_gradients(gradients, expected_backward(reference, dout, *arguments))
    assert_exact(student.get(kept_dout), dout, what="dout after the call")
    for name, value, handle in zip(("x", "gain", "bias"), arguments, kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")


# --- gradient_check ---

ERRORS = ("error_x", "error_gain", "error_bias")
ACQUITTAL = 10.0  # the rtol for which assert_close lets a number be 1e-4 away from zero, the lesson's bar


def trial(student, forward, backward, seed, shape=(2, 4)):
    """The three errors that the student finds. The seeds are fixed: no gradient has an entry near zero."""
    rng = np.random.default_rng(seed)
    arguments, dout = draw(rng, shape), rng.standard_normal(shape)
    errors = student.check_layernorm(forward, backward, *arguments, dout)
    return expect_tuple(errors, *ERRORS)


def layernorm_pair(reference, spoil=lambda gradients: gradients):
    """The reference's pair of functions, with what `spoil` makes of the gradients."""

    def forward(x, gain, bias):
        return reference.layernorm_forward(x, gain, bias)

    def backward(dout, cache):
        return spoil(reference.layernorm_backward(dout, cache))

    return forward, backward


def sine_pair():
    """Another layer, gain * sin(x) + bias, and its three gradients."""

    def forward(x, gain, bias):
        return gain * np.sin(x) + bias, (x, gain)

    def backward(dout, cache):
        x, gain = cache
        return dout * gain * np.cos(x), (dout * np.sin(x)).sum(axis=0), dout.sum(axis=0)

    return forward, backward


@task("gradient_check")
@pytest.mark.parametrize("seed", [1, 2])
def test_judge_acquits(student, reference, seed):
    """A right layer, for a random upstream gradient."""
    errors = trial(student, *layernorm_pair(reference), seed)
    for name, error in zip(ERRORS, errors):
        assert_close(error, 0.0, what=name, rtol=ACQUITTAL)


@task("gradient_check", weight=2)
def test_judge_looks_at_the_layer_it_is_given(student):
    """A right layer that is no layer normalization."""
    errors = trial(student, *sine_pair(), 3)
    for name, error in zip(ERRORS, errors):
        assert_close(error, 0.0, what=name, rtol=ACQUITTAL)


@task("gradient_check")
@pytest.mark.parametrize("factors", [(3.0, 1.0, 1.0), (1.0, 3.0, 1.0), (1.0, 1.0, 3.0), (2.0, 3.0, 5.0)])
def test_judge_convicts(student, reference, factors):
    """Layers that return one or more of the gradients several times too large."""

    def spoil(gradients):
        return tuple(factor * gradient for factor, gradient in zip(factors, gradients))

    errors = trial(student, *layernorm_pair(reference, spoil), 4)
    for name, error, factor in zip(ERRORS, errors, factors):
        if factor == 1.0:
            assert_close(error, 0.0, what=name, rtol=ACQUITTAL)
        else:
            assert_close(error, (factor - 1) / (factor + 1), what=name, rtol=1e-4)


@task("gradient_check", weight=2)
def test_judge_is_no_lenient_one(student, reference):
    """A layer whose gradients are right for an all-ones upstream gradient, and for no other."""
    forward, backward = layernorm_pair(reference)

    def deaf(dout, cache):
        return backward(np.ones((2, 4)), cache)

    rng = np.random.default_rng(7)
    arguments = (*draw(rng, (2, 4)), rng.standard_normal((2, 4)))
    errors = expect_tuple(student.check_layernorm(forward, deaf, *arguments), *ERRORS)
    for name, error, expected in zip(ERRORS, errors, reference.check_layernorm(forward, deaf, *arguments)):
        assert_close(error, expected, what=name, rtol=1e-4)


@task("gradient_check")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_judge_finds_a_single_entry(student, reference, place):
    """A layer that has one entry of one gradient wrong."""

    def spoil(gradients):
        spoiled = [gradient.copy() for gradient in gradients]
        spoiled[place].flat[2] *= 1.5
        return tuple(spoiled)

    errors = trial(student, *layernorm_pair(reference, spoil), 5)
    for name, error, wrong in zip(ERRORS, errors, np.arange(3) == place):
        assert_close(error, 0.2 if wrong else 0.0, what=name, rtol=1e-4 if wrong else ACQUITTAL)


@task("gradient_check")
def test_judge_leaves_arguments(student, reference):
    """Whether the arguments are the same after the check, and its verdict is right."""
    rng = np.random.default_rng(6)
    arguments = (*draw(rng, (2, 4)), rng.standard_normal((2, 4)))
    kept = [student.put(value) for value in arguments]
    errors = expect_tuple(student.check_layernorm(*layernorm_pair(reference), *kept), *ERRORS)
    for name, error in zip(ERRORS, errors):
        assert_close(error, 0.0, what=name, rtol=ACQUITTAL)
    for name, value, handle in zip(("x", "gain", "bias", "dout"), arguments, kept):
        assert_close(student.get(handle), value, what=f"{name} after the call")


# --- prenorm_block ---


def block_backward(student, dout, *arguments):
    _, cache = expect_tuple(student.prenorm_forward(*arguments), "out", "cache")
    return expect_tuple(student.prenorm_backward(dout, cache), *GRADIENTS)


def expected_block(reference, dout, *arguments):
    return reference.prenorm_backward(dout, reference.prenorm_forward(*arguments)[1])


@task("prenorm_block", weight=2)
@block_shapes
def test_block_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    arguments = draw_block(rng, shape)
    out, _ = expect_tuple(student.prenorm_forward(*arguments), "out", "cache")
    assert_close(out, reference.prenorm_forward(*arguments)[0], what="out")


@task("prenorm_block", weight=2)
@block_shapes
def test_block_dx(student, reference, rng, shape):
    """The gradient of x for a random upstream gradient."""
    arguments, dout = draw_block(rng, shape), rng.standard_normal(shape)
    dx, _, _ = block_backward(student, dout, *arguments)
    assert_close(dx, expected_block(reference, dout, *arguments)[0], what="dx")


@task("prenorm_block")
@block_shapes
def test_block_dgain_and_dbias(student, reference, rng, shape):
    """The gradients of gain and bias for a random upstream gradient."""
    arguments, dout = draw_block(rng, shape), rng.standard_normal(shape)
    gradients = block_backward(student, dout, *arguments)
    assert_gradients(gradients[1:], expected_block(reference, dout, *arguments)[1:], GRADIENTS[1:])


@task("prenorm_block")
def test_block_all_ones(student, reference, rng):
    """All three gradients for an all-ones upstream gradient."""
    arguments, ones = draw_block(rng, (3, 5)), np.ones((3, 5))
    assert_gradients(block_backward(student, ones, *arguments), expected_block(reference, ones, *arguments))


@task("prenorm_block")
def test_block_measured(student, reference):
    """All three gradients against finite differences of the loss, for a random upstream gradient."""
    rng = np.random.default_rng(8)
    x, W, gain, bias = draw_block(rng, (2, 4))
    dout = rng.standard_normal((2, 4))
    gradients = block_backward(student, dout, x, W, gain, bias)
    losses = (
        (x, lambda v: np.sum(dout * reference.prenorm_forward(v, W, gain, bias)[0])),
        (gain, lambda v: np.sum(dout * reference.prenorm_forward(x, W, v, bias)[0])),
        (bias, lambda v: np.sum(dout * reference.prenorm_forward(x, W, gain, v)[0])),
    )
    for name, gradient, (value, loss) in zip(GRADIENTS, gradients, losses):
        assert_close(gradient, reference.numerical_gradient(loss, value), what=name, rtol=1e-4)


@task("prenorm_block")
def test_block_identity(student, rng):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, _, gain, bias = draw_block(rng, (3, 5))
    for dout in (np.ones((3, 5)), rng.standard_normal((3, 5))):
        out, cache = expect_tuple(student.prenorm_forward(x, np.zeros((5, 5)), gain, bias), "out", "cache")
        assert_exact(out, x, what="out")
        dx, _, _ = expect_tuple(student.prenorm_backward(dout, cache), *GRADIENTS)
        assert_exact(dx, dout, what="dx")


@task("prenorm_block")
def test_block_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes, one of which runs twice."""
    passes = [(draw_block(rng, (3, 5)), rng.standard_normal((3, 5))) for _ in range(2)]
    returned = [expect_tuple(student.prenorm_forward(*arguments), "out", "cache") for arguments, _ in passes]
    caches = [student.put(cache) for _, cache in returned]
    for place in (0, 1, 0):
        arguments, dout = passes[place]
        gradients = expect_tuple(student.prenorm_backward(dout, caches[place]), *GRADIENTS)
        assert_gradients(gradients, expected_block(reference, dout, *arguments))


@task("prenorm_block")
def test_block_leaves_arguments(student, reference, rng):
    """Whether the arguments are the same after both passes, and the gradients are right."""
    arguments, dout = draw_block(rng, (3, 5)), rng.standard_normal((3, 5))
    kept, kept_dout = [student.put(value) for value in arguments], student.put(dout)
    gradients = block_backward(student, kept_dout, *kept)
    assert_gradients(gradients, expected_block(reference, dout, *arguments))
    assert_exact(student.get(kept_dout), dout, what="dout after both passes")
    for name, value, handle in zip(("x", "W", "gain", "bias"), arguments, kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")


# --- stack_norms ---


def assert_norms(actual, expected):
    norms = expect_tuple(actual, "stream", "gradient")
    for name, norm, wanted in zip(("stream", "gradient"), norms, expected):
        assert_close(norm, wanted, what=f"the norm of the {name}")


either = pytest.mark.parametrize("prenorm", [False, True], ids=["plain", "prenorm"])


@task("stack_norms", weight=2)
@either
@pytest.mark.parametrize("n", [1, 2, 7])
def test_stack(student, reference, rng, n, prenorm):
    """A random input under one, two and seven layers."""
    x = draw(rng, (3, 6))[0]
    Ws = reference.weight_bank(0.8, 6, n, int(rng.integers(1000)))
    assert_norms(student.stack_norms(x, Ws, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms")
@either
def test_stack_of_sequences(student, reference, rng, prenorm):
    """A batch of sequences."""
    x = draw(rng, (2, 3, 5))[0]
    Ws = reference.weight_bank(1.2, 5, 4, int(rng.integers(1000)))
    assert_norms(student.stack_norms(x, Ws, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms")
@either
def test_stack_of_no_layers(student, reference, rng, prenorm):
    """A stack without any layer."""
    x = draw(rng, (3, 6))[0]
    assert_norms(student.stack_norms(x, [], prenorm), reference.stack_norms(x, [], prenorm))


@task("stack_norms")
@either
def test_stack_of_silence(student, reference, rng, prenorm):
    """Weights that are all zero."""
    x = draw(rng, (3, 6))[0]
    Ws = [np.zeros((6, 6))] * 3
    assert_norms(student.stack_norms(x, Ws, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms")
@either
def test_stack_of_the_lesson(student, reference, prenorm):
    """The lesson's input under twenty of the lesson's layers, several times."""
    x, Ws = np.random.RandomState(0).randn(4, 16), reference.weight_bank(0.5)
    printed = numbers_in(TABLE.splitlines()[5])[int(prenorm) :: 2]
    for _ in range(2):
        norms = expect_tuple(student.stack_norms(x, Ws, prenorm), "stream", "gradient")
        for name, norm, wanted in zip(("stream", "gradient"), norms, printed):
            assert_printed(norm, wanted, what=f"the norm of the {name}")


@task("stack_norms")
@either
def test_stack_leaves_arguments(student, reference, rng, prenorm):
    """Whether x and the weights are the same after the call, and the norms are right."""
    x = draw(rng, (3, 5))[0]
    Ws = reference.weight_bank(0.8, 5, 3, 5)
    kept_x, kept = student.put(x), student.put(Ws)
    assert_norms(student.stack_norms(kept_x, kept, prenorm), reference.stack_norms(x, Ws, prenorm))
    assert_exact(student.get(kept_x), x, what="x after the call")
    after = expect_tuple(student.get(kept), *(f"Ws[{i}]" for i in range(3)))
    for i, (mine, W) in enumerate(zip(after, Ws)):
        assert_exact(mine, W, what=f"Ws[{i}] after the call")


# --- drift_table ---


def numbers_in(table):
    """The decimal numbers of a table's text, row by row, as text."""
    require(type(table) is str, "the table should be a string")
    return re.findall(r"\d+\.\d+", table)


@task("drift_table")
def test_table_of_the_lesson(student, reference):
    """The lesson's table, byte for byte."""
    table = student.drift_table(reference.weight_bank(0.5, n=100), DEPTHS)
    assert_text(table, TABLE, what="the table")


@task("drift_table")
def test_table_numbers(student, reference):
    """The numbers in the table of another bank, whatever the layout."""
    Ws, depths = reference.weight_bank(0.9, 16, 7, 3), [7, 1, 4]
    wanted = numbers_in(reference.drift_table(Ws, depths))
    found = numbers_in(student.drift_table(Ws, depths))
    require(len(found) == 12, f"three depths make 12 decimal numbers, your table holds {len(found)}")
    columns = ("stream res", "stream pre", "grad res", "grad pre")
    for place, (mine, printed) in enumerate(zip(found, wanted)):
        assert_printed(float(mine), printed, what=f"row {place // 4 + 1}, column {columns[place % 4]}")


@task("drift_table", weight=2)
def test_table_of_other_weights(student, reference):
    """The table of another bank and of other depths, byte for byte."""
    Ws, depths = reference.weight_bank(0.7, 16, 12, 5), [2, 12, 3]
    expected = reference.drift_table(Ws, depths)
    assert_text(student.drift_table(Ws, depths), expected, what="the table")
