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
    expect_bool,
    expect_tuple,
    require,
    task,
)

SHAPES = [(6,), (3, 5), (4, 4), (2, 3, 6)]  # (C,), (B, C) twice and (B, T, C)
BLOCK_SHAPES = SHAPES[1:]
THIN_SHAPES = [(1, 5), (1, 1, 4), (1, 3, 5), (3, 1, 5)]
GRADIENTS = ("dx", "dgain", "dbias")
FIRST_GRADIENTS = [f"the first {name} after other calls" for name in GRADIENTS]

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


def draw_bank(rng, C, n, scale=1.0):
    """Weights for stacks, drawn otherwise than the bank of the lesson."""
    return list(rng.standard_normal((n, C, C)) * (scale / np.sqrt(C)))


def in_double(value):
    """A float32 array as float64, for tests that are not about the dtype."""
    return value.astype(float) if isinstance(value, np.ndarray) and value.dtype == np.float32 else value


def same_but_for_the_first(x, rng):
    """Other numbers for x, but for the first entry."""
    new = rng.standard_normal(x.shape)
    new.flat[0] = x.flat[0]
    return new


def put_all(student, arrays):
    return [student.put(value) for value in arrays]


def overwrite_all(student, handles, arrays):
    for handle, numbers in zip(handles, arrays):
        student.overwrite(handle, numbers)


def in_other_layouts(student, arrays):
    """The same arrays twice, lying otherwise in the memory of the student's process."""
    for layout in ("columns", "steps"):
        yield layout, [student.laid_out(value, layout) for value in arrays]


def assert_modes_kept(student, name, *arguments):
    getattr(student, name)(*arguments)
    errors, numbers = expect_tuple(student.modes_after(name, *arguments), "error handling", "random numbers")
    require(not expect_bool(errors), "NumPy's error handling should be after the call as it was before")
    require(not expect_bool(numbers), "NumPy's random numbers should go on as if there had been no call")


def assert_unchanged(student, handle, values, what):
    """A list in the student's process still holds these values, as many and in this order."""
    after = student.get(handle)
    require(type(after) is list, f"{what} should still be a list after the call")
    require(len(after) == len(values), f"{what} had {len(values)} entries, after the call it has {len(after)}")
    for i, (mine, value) in enumerate(zip(after, values)):
        assert_exact(mine, value, what=f"{what}[{i}] after the call")


def shape_after_shape(values):
    return "x".join(map(str, values)) if isinstance(values, tuple) else None


shapes = pytest.mark.parametrize("shape", SHAPES, ids=shape_after_shape)
block_shapes = pytest.mark.parametrize("shape", BLOCK_SHAPES, ids=shape_after_shape)


# --- normalize ---


def forward(student, *arguments):
    out, _ = expect_tuple(student.layernorm_forward(*arguments), "out", "cache")
    return out


@task("normalize", weight=12)
@shapes
def test_forward(student, reference, rng, shape):
    """A random input with a random gain and bias."""
    arguments = draw(rng, shape)
    assert_close(forward(student, *arguments), reference.layernorm_forward(*arguments)[0], what="out")


@task("normalize", weight=12)
def test_forward_before_training(student, reference, rng):
    """A random input with gain one and bias zero."""
    x, gain, bias = draw(rng, (3, 5))[0], np.ones(5), np.zeros(5)
    out = in_double(forward(student, x, gain, bias))
    assert_close(out, forward(reference, x, gain, bias), what="out", rtol=1e-4)


@task("normalize", weight=10)
def test_forward_huge_eps(student, reference, rng):
    """An eps beside which the variance does not count."""
    arguments = (*draw(rng, (3, 5)), 1e14)
    x, gain, _, eps = arguments
    assert_close(forward(student, x, 1e7 * gain, gain, eps), forward(reference, x, 1e7 * gain, gain, eps), what="out")


@task("normalize", weight=14)
def test_forward_axes_of_length_one(student, reference, rng):
    """A batch of one, a sequence of one, a single channel."""
    for shape in (*THIN_SHAPES, (3, 1), (1, 1)):
        arguments = draw(rng, shape)
        assert_close(forward(student, *arguments), forward(reference, *arguments), what=f"out for the shape {shape}")


@task("normalize", weight=6)
def test_forward_loud_and_quiet(student, reference, rng):
    """Very large and very small inputs."""
    x, gain, bias = draw(rng, (4, 5))
    for size, loud in ((1e6, 1.0), (1e-6, 1.0), (1.0, 1e-8)):
        arguments = size * x, loud * gain, loud * bias
        out = forward(student, *arguments)
        assert_close(out, forward(reference, *arguments), what=f"out for x times {size:g} and a gain times {loud:g}")


@task("normalize", weight=10)
def test_forward_not_contiguous(student, reference, rng):
    """Arrays that are not contiguous: transposed in memory, or every other entry of something larger."""
    arguments = draw(rng, (2, 3, 4))
    for layout, views in in_other_layouts(student, arguments):
        assert_close(forward(student, *views), forward(reference, *arguments), what=f"out in {layout}")


@task("normalize", weight=12)
def test_forward_again(student, reference, rng):
    """The same arrays twice, with other numbers in them the second time; then gain and bias the same array."""
    arguments = draw(rng, (3, 5))
    kept, new = put_all(student, arguments), [same_but_for_the_first(value, rng) for value in arguments]
    assert_close(forward(student, *kept), forward(reference, *arguments), what="out the first time")
    overwrite_all(student, kept, new)
    assert_close(forward(student, *kept), forward(reference, *new), what="out the second time")
    x, gain, _ = new
    assert_close(
        forward(student, kept[0], kept[1], kept[1]), forward(reference, x, gain, gain), what="out for one array"
    )


@task("normalize", weight=3)
@pytest.mark.parametrize("eps", [0.0, 1e-3, 0.5, 10.0])
def test_forward_eps(student, reference, rng, eps):
    """A random input with another eps."""
    arguments = (*draw(rng, (3, 5)), eps)
    assert_close(forward(student, *arguments), reference.layernorm_forward(*arguments)[0], what="out")


@task("normalize", weight=5)
def test_forward_quiet_rows(student, reference, rng):
    """Rows whose variance is about as small as the default eps."""
    x, gain, bias = draw(rng, (4, 5))
    x = 2e-3 * x
    assert_close(forward(student, x, gain, bias), reference.layernorm_forward(x, gain, bias)[0], what="out")


@task("normalize", weight=6)
def test_forward_constant_rows(student, reference, rng):
    """Rows that are constant, between others that are not."""
    x, gain, bias = draw(rng, (4, 4))
    x[0], x[2] = 2.0, 0.0
    for rows in (x, np.full((4, 4), 2.0)):
        assert_close(forward(student, rows, gain, bias), forward(reference, rows, gain, bias), what="out")


@task("normalize", weight=6)
def test_forward_rows_apart(student, reference, rng):
    """The same row alone and in the company of others."""
    x, gain, bias = draw(rng, (2, 3, 5))
    expected = reference.layernorm_forward(x, gain, bias)[0]
    assert_close(forward(student, x, gain, bias), expected, what="out")
    assert_close(forward(student, x[1], gain, bias), expected[1], what="out for one sequence")
    assert_close(forward(student, x[1, 2], gain, bias), expected[1, 2], what="out for one row")


@task("normalize", weight=16)
def test_forward_leaves_arguments(student, reference, rng):
    """Whether x, gain and bias are the same after the call, and out is right all the same."""
    arguments = draw(rng, (3, 5))
    kept = [student.put(value) for value in arguments]
    assert_close(forward(student, *kept), reference.layernorm_forward(*arguments)[0], what="out")
    for name, value, handle in zip(("x", "gain", "bias"), arguments, kept):
        assert_exact(student.get(handle), value, what=f"{name} after the call")
    assert_modes_kept(student, "layernorm_forward", *arguments)


# --- jacobian ---


@task("jacobian", weight=14)
@pytest.mark.parametrize("C", [4, 5, 9])
def test_jacobian(student, reference, rng, C):
    """The Jacobian of a random row with a random gain."""
    x, gain, _ = draw(rng, (C,))
    assert_close(student.layernorm_jacobian(x, gain), reference.layernorm_jacobian(x, gain), what="the Jacobian")


@task("jacobian", weight=12)
def test_jacobian_without_gain(student, reference, rng):
    """The Jacobian of a random row, all gains one."""
    x, gain = draw(rng, (6,))[0], np.ones(6)
    assert_close(student.layernorm_jacobian(x, gain), reference.layernorm_jacobian(x, gain), what="the Jacobian")


@task("jacobian", weight=10)
def test_jacobian_of_a_constant_row(student, reference, rng):
    """The Jacobian of a row that is constant."""
    for C in (5, 1):
        x, gain = np.full(C, rng.standard_normal()), rng.standard_normal(C)
        assert_close(student.layernorm_jacobian(x, gain), reference.layernorm_jacobian(x, gain), what="the Jacobian")


@task("jacobian", weight=6)
def test_jacobian_loud_and_quiet(student, reference, rng):
    """The Jacobian of a very loud and of a very quiet row, and of a row beside a huge eps."""
    x, gain, _ = draw(rng, (5,))
    for size, eps in ((1e6, 1e-5), (1e-6, 1e-5), (1.0, 1e8)):
        expected = reference.layernorm_jacobian(size * x, gain, eps)
        assert_close(student.layernorm_jacobian(size * x, gain, eps), expected, what="the Jacobian")


@task("jacobian", weight=9)
def test_jacobian_not_contiguous(student, reference, rng):
    """The Jacobian of a row that is every other entry of something larger."""
    x, gain, _ = draw(rng, (5,))
    views = student.laid_out(x, "steps"), student.laid_out(gain, "steps")
    assert_close(student.layernorm_jacobian(*views), reference.layernorm_jacobian(x, gain), what="the Jacobian")


@task("jacobian", weight=12)
def test_jacobian_again(student, reference, rng):
    """The same arrays twice, with other numbers in them the second time; then x and gain the same array."""
    arrays = draw(rng, (5,))[:2]
    kept, new = put_all(student, arrays), [same_but_for_the_first(value, rng) for value in arrays]
    jacobian = student.layernorm_jacobian(*kept)
    first = student.put(jacobian)
    assert_close(jacobian, reference.layernorm_jacobian(*arrays), what="the Jacobian")
    overwrite_all(student, kept, new)
    assert_close(student.layernorm_jacobian(*kept), reference.layernorm_jacobian(*new), what="the Jacobian")
    assert_exact(student.get(first), jacobian, what="the first Jacobian after the second call")
    expected = reference.layernorm_jacobian(new[0], new[0])
    assert_close(student.layernorm_jacobian(kept[0], kept[0]), expected, what="the Jacobian")


@task("jacobian", weight=4)
@pytest.mark.parametrize("eps", [0.0, 0.5, 10.0])
def test_jacobian_eps(student, reference, rng, eps):
    """The Jacobian with another eps."""
    x, gain, _ = draw(rng, (5,))
    expected = reference.layernorm_jacobian(x, gain, eps)
    assert_close(student.layernorm_jacobian(x, gain, eps), expected, what="the Jacobian")


@task("jacobian", weight=6)
def test_jacobian_quiet_row(student, reference, rng):
    """The Jacobian of a row whose variance is about as small as the default eps, and of a constant one."""
    x, gain, _ = draw(rng, (4,))
    for row in (2e-3 * x, np.full(4, 2.0)):
        expected = reference.layernorm_jacobian(row, gain)
        assert_close(student.layernorm_jacobian(row, gain), expected, what="the Jacobian")


@task("jacobian", weight=3)
def test_jacobian_measured(student, reference, rng):
    """The Jacobian against finite differences of the outputs."""
    x, gain, bias = draw(rng, (5,))
    rows = [
        reference.numerical_gradient(lambda v, j=j: reference.layernorm_forward(v, gain, bias)[0][j], x)
        for j in range(5)
    ]
    assert_close(in_double(student.layernorm_jacobian(x, gain)), np.array(rows), what="the Jacobian", rtol=1e-4)


@task("jacobian", weight=12)
def test_jacobian_leaves_arguments(student, reference, rng):
    """Whether x and gain are the same after the call, and the Jacobian is right all the same."""
    x, gain, _ = draw(rng, (5,))
    kept = student.put(x), student.put(gain)
    assert_close(student.layernorm_jacobian(*kept), reference.layernorm_jacobian(x, gain), what="the Jacobian")
    assert_exact(student.get(kept[0]), x, what="x after the call")
    assert_exact(student.get(kept[1]), gain, what="gain after the call")
    assert_modes_kept(student, "layernorm_jacobian", x, gain)


# --- backward ---


def backward(student, dout, *arguments):
    _, cache = expect_tuple(student.layernorm_forward(*arguments), "out", "cache")
    return expect_tuple(student.layernorm_backward(dout, cache), *GRADIENTS)


def expected_backward(reference, dout, *arguments):
    return reference.layernorm_backward(dout, reference.layernorm_forward(*arguments)[1])


def assert_gradients(actual, expected, names=GRADIENTS):
    for name, mine, wanted in zip(names, actual, expected):
        assert_close(mine, wanted, what=name)


@task("backward", weight=9)
@shapes
def test_backward_dx(student, reference, rng, shape):
    """The gradient of x for a random upstream gradient and a random gain."""
    arguments, dout = draw(rng, shape), rng.standard_normal(shape)
    dx, _, _ = backward(student, dout, *arguments)
    assert_close(dx, expected_backward(reference, dout, *arguments)[0], what="dx")


@task("backward", weight=4)
@shapes
def test_backward_dgain(student, reference, rng, shape):
    """The gradient of the gain for a random upstream gradient."""
    arguments, dout = draw(rng, shape), rng.standard_normal(shape)
    _, dgain, _ = backward(student, dout, *arguments)
    assert_close(dgain, expected_backward(reference, dout, *arguments)[1], what="dgain")


@task("backward", weight=4)
@shapes
def test_backward_dbias(student, reference, rng, shape):
    """The gradient of the bias for a random upstream gradient."""
    arguments, dout = draw(rng, shape), rng.standard_normal(shape)
    _, _, dbias = backward(student, dout, *arguments)
    assert_close(dbias, expected_backward(reference, dout, *arguments)[2], what="dbias")


@task("backward", weight=5)
def test_backward_four_axes(student, reference, rng):
    """All three gradients for an input with three axes in front of the channels."""
    arguments, dout = draw(rng, (2, 3, 2, 5)), rng.standard_normal((2, 3, 2, 5))
    assert_gradients(backward(student, dout, *arguments), expected_backward(reference, dout, *arguments))


@task("backward", weight=16)
def test_backward_axes_of_length_one(student, reference, rng):
    """All three gradients for a batch of one and for a sequence of one."""
    for shape in THIN_SHAPES:
        arguments, dout = draw(rng, shape), rng.standard_normal(shape)
        assert_gradients(backward(student, dout, *arguments), expected_backward(reference, dout, *arguments))


@task("backward", weight=8)
def test_backward_loud_and_quiet(student, reference, rng):
    """All three gradients for very large and very small inputs and upstream gradients."""
    x, gain, bias = draw(rng, (3, 5))
    dout = rng.standard_normal((3, 5))
    for size in (1e5, 1e-5):
        gradients = backward(student, size * dout, size * x, gain, bias)
        assert_gradients(gradients, expected_backward(reference, size * dout, size * x, gain, bias))


@task("backward", weight=12)
def test_backward_not_contiguous(student, reference, rng):
    """Arrays that are not contiguous, and an upstream gradient of all ones of which NumPy keeps a single one."""
    arguments, dout = draw(rng, (2, 3, 4)), rng.standard_normal((2, 3, 4))
    for _, (view, *views) in in_other_layouts(student, (dout, *arguments)):
        assert_gradients(backward(student, view, *views), expected_backward(reference, dout, *arguments))
    ones = np.ones((2, 3, 4))
    gradients = backward(student, student.laid_out(ones, "repeated"), *arguments)
    assert_gradients(gradients, expected_backward(reference, ones, *arguments))


@task("backward", weight=12)
def test_backward_again(student, reference, rng):
    """The same arrays twice, with other numbers in them the second time; then dout the input itself."""
    arrays = [rng.standard_normal((3, 5)), *draw(rng, (3, 5))]
    kept, new = put_all(student, arrays), [same_but_for_the_first(value, rng) for value in arrays]
    for numbers in (arrays, new):
        overwrite_all(student, kept, numbers)
        assert_gradients(backward(student, *kept), expected_backward(reference, *numbers))
    _, x, gain, bias = new
    assert_gradients(backward(student, kept[1], *kept[1:]), expected_backward(reference, x, x, gain, bias))


@task("backward", weight=2)
@pytest.mark.parametrize("eps", [0.0, 0.5, 10.0])
def test_backward_eps(student, reference, rng, eps):
    """All three gradients after a forward pass with another eps."""
    arguments, dout = (*draw(rng, (3, 5)), eps), rng.standard_normal((3, 5))
    assert_gradients(backward(student, dout, *arguments), expected_backward(reference, dout, *arguments))


@task("backward", weight=4)
def test_backward_quiet_rows(student, reference, rng):
    """All three gradients for rows that are very quiet, and for one that is constant."""
    x, gain, bias = draw(rng, (4, 4))
    x *= 2e-3
    x[1] = 2.0
    dout = rng.standard_normal((4, 4))
    assert_gradients(backward(student, dout, x, gain, bias), expected_backward(reference, dout, x, gain, bias))


@task("backward", weight=5)
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


@task("backward", weight=6)
def test_backward_measured(student, reference, rng):
    """All three gradients against finite differences of the loss, for two upstream gradients."""
    arguments, random = draw(rng, (2, 5)), rng.standard_normal((2, 5))
    for dout in (random, np.arange(10.0).reshape(2, 5)):
        gradients = backward(student, dout, *arguments)
        for place, (name, gradient) in enumerate(zip(GRADIENTS, gradients)):

            def loss(v, place=place, dout=dout):
                moved = (*arguments[:place], v, *arguments[place + 1 :])
                return np.sum(dout * reference.layernorm_forward(*moved)[0])

            measured = reference.numerical_gradient(loss, arguments[place])
            assert_close(in_double(gradient), measured, what=name, rtol=1e-4)


@task("backward", weight=18)
def test_backward_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes, one of which runs twice."""
    passes = [(draw(rng, (3, 5)), rng.standard_normal((3, 5))) for _ in range(2)]
    returned = [expect_tuple(student.layernorm_forward(*arguments), "out", "cache") for arguments, _ in passes]
    caches = [student.put(cache) for _, cache in returned]  # there, so that both calls get the same object
    kept = []
    for place, size in ((0, 1.0), (1, 1.0), (0, 100.0)):
        arguments, dout = passes[place]
        gradients = expect_tuple(student.layernorm_backward(size * dout, caches[place]), *GRADIENTS)
        assert_gradients(gradients, expected_backward(reference, size * dout, *arguments))
        kept.append(put_all(student, gradients))
    arguments, dout = passes[0]
    assert_gradients(map(student.get, kept[0]), expected_backward(reference, dout, *arguments), FIRST_GRADIENTS)


@task("backward", weight=18)
def test_backward_leaves_arguments(student, reference, rng):
    """Whether dout, x and gain are the same after both passes, and the gradients are right."""
    arguments, dout = draw(rng, (3, 5)), rng.standard_normal((3, 5))
    kept, kept_dout = [student.put(value) for value in arguments], student.put(dout)
    gradients = backward(student, kept_dout, *kept)
    assert_gradients(gradients, expected_backward(reference, dout, *arguments))
    assert_exact(student.get(kept_dout), dout, what="dout after the call")
    for name, value, handle in zip(("x", "gain", "bias"), arguments, kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")
    _, cache = expect_tuple(student.layernorm_forward(*arguments), "out", "cache")
    assert_modes_kept(student, "layernorm_backward", dout, cache)


# --- gradient_check ---

ERRORS = ("error_x", "error_gain", "error_bias")
ACQUITTAL = 10.0  # the rtol for which assert_close lets a number be 1e-4 away from zero, the lesson's bar


def draw_trial(rng, pair, shape=(2, 4)):
    """Arguments and an upstream gradient for which no gradient has an entry near zero."""
    forward, backward = pair
    while True:
        arguments, dout = draw(rng, shape), rng.standard_normal(shape)
        gradients = backward(dout, forward(*arguments)[1])
        if min(np.min(np.abs(gradient)) for gradient in gradients) > 0.03:
            return *arguments, dout


def errors_of(student, pair, arrays):
    """The three errors that the student finds."""
    return expect_tuple(student.check_layernorm(*pair, *arrays), *ERRORS)


def assert_acquitted(errors):
    for name, error in zip(ERRORS, errors):
        assert_close(error, 0.0, what=name, rtol=ACQUITTAL)


def tripled(pair):
    """A layer that returns all gradients three times too large."""
    forward, backward = pair
    return forward, lambda dout, cache: tuple(3.0 * gradient for gradient in backward(dout, cache))


def assert_convicted(errors):
    """Of a gradient that is three times too large: |3 - 1| / (3 + 1)."""
    for name, error in zip(ERRORS, errors):
        assert_close(error, 0.5, what=name, rtol=1e-4)


def layernorm_pair(reference, spoil=lambda gradients: gradients):
    """The reference's pair of functions, with what `spoil` makes of the gradients."""

    def forward(x, gain, bias):
        return reference.layernorm_forward(x, gain, bias)

    def backward(dout, cache):
        return spoil(reference.layernorm_backward(dout, cache))

    return forward, backward


def sine_pair():
    """Another layer, sin(gain * sin(x) + bias), which bends in all its arguments, and its three gradients."""

    def forward(x, gain, bias):
        angle = gain * np.sin(x) + bias
        return np.sin(angle), (angle, x, gain)

    def backward(dout, cache):
        angle, x, gain = cache
        dangle, rows = dout * np.cos(angle), tuple(range(dout.ndim - 1))
        return dangle * gain * np.cos(x), (dangle * np.sin(x)).sum(axis=rows), dangle.sum(axis=rows)

    return forward, backward


@task("gradient_check", weight=8)
@pytest.mark.parametrize("shape", [(2, 4), (2, 2, 4)], ids=shape_after_shape)
def test_judge_acquits(student, reference, rng, shape):
    """A right layer, for a random upstream gradient."""
    pair = layernorm_pair(reference)
    assert_acquitted(errors_of(student, pair, draw_trial(rng, pair, shape)))


@task("gradient_check", weight=15)
def test_judge_looks_at_the_layer_it_is_given(student, rng):
    """A layer that is no layer normalization and bends in gain and bias, too, once right and once wrong."""
    arrays = draw_trial(rng, sine_pair())
    assert_acquitted(errors_of(student, sine_pair(), arrays))
    assert_convicted(errors_of(student, tripled(sine_pair()), arrays))


@task("gradient_check", weight=5)
def test_judge_axes_of_length_one(student, rng):
    """Layers right and wrong, for a single row, a batch of one and a sequence of one."""
    for shape in ((4,), (1, 4), (2, 1, 3)):
        arrays = draw_trial(rng, sine_pair(), shape)
        assert_acquitted(errors_of(student, sine_pair(), arrays))
        assert_convicted(errors_of(student, tripled(sine_pair()), arrays))


@task("gradient_check", weight=8)
@pytest.mark.parametrize("factors", [(3.0, 1.0, 1.0), (1.0, 3.0, 1.0), (1.0, 1.0, 3.0), (2.0, 3.0, 5.0)])
def test_judge_convicts(student, reference, rng, factors):
    """Layers that return one or more of the gradients several times too large."""

    def spoil(gradients):
        return tuple(factor * gradient for factor, gradient in zip(factors, gradients))

    arrays = draw_trial(rng, layernorm_pair(reference))
    errors = errors_of(student, layernorm_pair(reference, spoil), arrays)
    for name, error, factor in zip(ERRORS, errors, factors):
        if factor == 1.0:
            assert_close(error, 0.0, what=name, rtol=ACQUITTAL)
        else:
            assert_close(error, (factor - 1) / (factor + 1), what=name, rtol=1e-4)


@task("gradient_check", weight=40)
def test_judge_is_no_lenient_one(student, reference, rng):
    """A layer whose gradients are right for an all-ones upstream gradient, and for no other."""
    forward, backward = layernorm_pair(reference)

    def deaf(dout, cache):
        return backward(np.ones((2, 4)), cache)

    arrays = draw_trial(rng, (forward, backward))
    errors = errors_of(student, (forward, deaf), arrays)
    for name, error, expected in zip(ERRORS, errors, reference.check_layernorm(forward, deaf, *arrays)):
        assert_close(error, expected, what=name, rtol=1e-4)


@task("gradient_check", weight=5)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_judge_finds_a_single_entry(student, reference, rng, place):
    """A layer that has one entry of one gradient wrong."""

    def spoil(gradients):
        spoiled = [gradient.copy() for gradient in gradients]
        spoiled[place].flat[2] *= 1.3
        return tuple(spoiled)

    arrays = draw_trial(rng, layernorm_pair(reference))
    errors = errors_of(student, layernorm_pair(reference, spoil), arrays)
    for name, error, wrong in zip(ERRORS, errors, np.arange(3) == place):
        assert_close(error, 0.3 / 2.3 if wrong else 0.0, what=name, rtol=1e-4 if wrong else ACQUITTAL)


@task("gradient_check", weight=15)
def test_judge_leaves_arguments(student, reference, rng):
    """Whether the arguments and NumPy's error handling are the same after the check, and its verdict is right."""
    pair = layernorm_pair(reference)
    arrays = draw_trial(rng, pair)
    kept = put_all(student, arrays)
    assert_convicted(errors_of(student, tripled(pair), kept))
    for name, value, handle in zip(("x", "gain", "bias", "dout"), arrays, kept):
        assert_close(student.get(handle), value, what=f"{name} after the call")
    assert_modes_kept(student, "check_layernorm", *pair, *arrays)


@task("gradient_check", weight=9)
def test_judge_again(student, reference, rng):
    """The same arrays twice, with other numbers in them and another layer the second time."""
    arrays = draw_trial(rng, layernorm_pair(reference))
    kept, new = put_all(student, arrays), draw_trial(rng, sine_pair())
    assert_acquitted(errors_of(student, layernorm_pair(reference), kept))
    overwrite_all(student, kept, new)
    assert_convicted(errors_of(student, tripled(sine_pair()), kept))
    _, *others = new
    assert_convicted(errors_of(student, tripled(sine_pair()), (np.full((2, 4), 0.7), *others)))


# --- prenorm_block ---


def block_backward(student, dout, *arguments):
    _, cache = expect_tuple(student.prenorm_forward(*arguments), "out", "cache")
    return expect_tuple(student.prenorm_backward(dout, cache), *GRADIENTS)


def expected_block(reference, dout, *arguments):
    return reference.prenorm_backward(dout, reference.prenorm_forward(*arguments)[1])


@task("prenorm_block", weight=9)
@block_shapes
def test_block_forward(student, reference, rng, shape):
    """The forward pass on a random input."""
    arguments = draw_block(rng, shape)
    out, _ = expect_tuple(student.prenorm_forward(*arguments), "out", "cache")
    assert_close(out, reference.prenorm_forward(*arguments)[0], what="out")


@task("prenorm_block", weight=9)
@block_shapes
def test_block_dx(student, reference, rng, shape):
    """The gradient of x for a random upstream gradient."""
    arguments, dout = draw_block(rng, shape), rng.standard_normal(shape)
    dx, _, _ = block_backward(student, dout, *arguments)
    assert_close(dx, expected_block(reference, dout, *arguments)[0], what="dx")


@task("prenorm_block", weight=4)
@block_shapes
def test_block_dgain_and_dbias(student, reference, rng, shape):
    """The gradients of gain and bias for a random upstream gradient."""
    arguments, dout = draw_block(rng, shape), rng.standard_normal(shape)
    gradients = block_backward(student, dout, *arguments)
    assert_gradients(gradients[1:], expected_block(reference, dout, *arguments)[1:], GRADIENTS[1:])


def assert_block(student, reference, dout, arguments, given=None):
    """Out and all gradients are right for these arrays, which the student is given as they are or as `given`."""
    given_dout, *given_arguments = given or (dout, *arguments)
    out, cache = expect_tuple(student.prenorm_forward(*given_arguments), "out", "cache")
    gradients = expect_tuple(student.prenorm_backward(given_dout, cache), *GRADIENTS)
    assert_close(out, reference.prenorm_forward(*arguments)[0], what="out")
    assert_gradients(gradients, expected_block(reference, dout, *arguments))


@task("prenorm_block", weight=14)
def test_block_axes_of_length_one(student, reference, rng):
    """Out and all gradients for a batch of one and for a sequence of one."""
    for shape in THIN_SHAPES:
        assert_block(student, reference, rng.standard_normal(shape), draw_block(rng, shape))


@task("prenorm_block", weight=6)
def test_block_loud_and_quiet(student, reference, rng):
    """Out and all gradients where tanh is flat for most entries, and for very quiet inputs and gradients."""
    x, W, gain, bias = draw_block(rng, (3, 5))
    dout = rng.standard_normal((3, 5))
    for size, loud in ((1.0, 8.0), (1e-4, 1.0), (0.0, 1.0), (1e-8, 1e-8)):
        assert_block(student, reference, size * dout, (size * x, W, loud * gain, min(loud, 1.0) * bias))


@task("prenorm_block", weight=12)
def test_block_not_contiguous(student, reference, rng):
    """Arrays that are not contiguous, and an upstream gradient of all ones of which NumPy keeps a single one."""
    arguments, dout = draw_block(rng, (2, 3, 4)), rng.standard_normal((2, 3, 4))
    for _, views in in_other_layouts(student, (dout, *arguments)):
        assert_block(student, reference, dout, arguments, views)
    ones = np.ones((2, 3, 4))
    assert_block(student, reference, ones, arguments, (student.laid_out(ones, "repeated"), *arguments))


@task("prenorm_block", weight=12)
def test_block_again(student, reference, rng):
    """The same arrays twice, with other numbers in them the second time."""
    arrays = [rng.standard_normal((3, 5)), *draw_block(rng, (3, 5))]
    kept, new = put_all(student, arrays), [same_but_for_the_first(value, rng) for value in arrays]
    for dout, *arguments in (arrays, new):
        overwrite_all(student, kept, (dout, *arguments))
        assert_block(student, reference, dout, arguments, kept)


@task("prenorm_block", weight=5)
def test_block_all_ones(student, reference, rng):
    """All three gradients for an all-ones upstream gradient."""
    arguments, ones = draw_block(rng, (3, 5)), np.ones((3, 5))
    assert_gradients(block_backward(student, ones, *arguments), expected_block(reference, ones, *arguments))


@task("prenorm_block", weight=12)
def test_block_measured(student, reference, rng):
    """All three gradients against finite differences of the loss, for a random upstream gradient."""
    x, W, gain, bias = draw_block(rng, (2, 4))
    dout = rng.standard_normal((2, 4))
    gradients = block_backward(student, dout, x, W, gain, bias)
    losses = (
        (x, lambda v: np.sum(dout * reference.prenorm_forward(v, W, gain, bias)[0])),
        (gain, lambda v: np.sum(dout * reference.prenorm_forward(x, W, v, bias)[0])),
        (bias, lambda v: np.sum(dout * reference.prenorm_forward(x, W, gain, v)[0])),
    )
    for name, gradient, (value, loss) in zip(GRADIENTS, gradients, losses):
        assert_close(in_double(gradient), reference.numerical_gradient(loss, value), what=name, rtol=1e-4)


@task("prenorm_block", weight=8)
def test_block_identity(student, rng):
    """Weights that are all zero: exactly x forward, exactly the upstream gradient backward."""
    x, _, gain, bias = draw_block(rng, (3, 5))
    for dout in (np.ones((3, 5)), rng.standard_normal((3, 5))):
        out, cache = expect_tuple(student.prenorm_forward(x, np.zeros((5, 5)), gain, bias), "out", "cache")
        assert_exact(out, x, what="out")
        dx, _, _ = expect_tuple(student.prenorm_backward(dout, cache), *GRADIENTS)
        assert_exact(dx, dout, what="dx")


@task("prenorm_block", weight=18)
def test_block_keeps_passes_apart(student, reference, rng):
    """Two forward passes before the first of their backward passes, one of which runs twice."""
    passes = [(draw_block(rng, (3, 5)), rng.standard_normal((3, 5))) for _ in range(2)]
    returned = [expect_tuple(student.prenorm_forward(*arguments), "out", "cache") for arguments, _ in passes]
    caches = [student.put(cache) for _, cache in returned]
    kept = []
    for place, size in ((0, 1.0), (1, 1.0), (0, 100.0)):
        arguments, dout = passes[place]
        gradients = expect_tuple(student.prenorm_backward(size * dout, caches[place]), *GRADIENTS)
        assert_gradients(gradients, expected_block(reference, size * dout, *arguments))
        kept.append(put_all(student, gradients))
    arguments, dout = passes[0]
    assert_gradients(map(student.get, kept[0]), expected_block(reference, dout, *arguments), FIRST_GRADIENTS)


@task("prenorm_block", weight=18)
def test_block_leaves_arguments(student, reference, rng):
    """Whether the arguments are the same after both passes, and the gradients are right."""
    arguments, dout = draw_block(rng, (3, 5)), rng.standard_normal((3, 5))
    kept, kept_dout = [student.put(value) for value in arguments], student.put(dout)
    gradients = block_backward(student, kept_dout, *kept)
    assert_gradients(gradients, expected_block(reference, dout, *arguments))
    assert_exact(student.get(kept_dout), dout, what="dout after both passes")
    for name, value, handle in zip(("x", "W", "gain", "bias"), arguments, kept):
        assert_exact(student.get(handle), value, what=f"{name} after both passes")
    _, cache = expect_tuple(student.prenorm_forward(*arguments), "out", "cache")
    assert_modes_kept(student, "prenorm_forward", *arguments)
    assert_modes_kept(student, "prenorm_backward", dout, cache)


# --- stack_norms ---


def assert_norms(actual, expected):
    norms = expect_tuple(actual, "stream", "gradient")
    for name, norm, wanted in zip(("stream", "gradient"), norms, expected):
        assert_close(norm, wanted, what=f"the norm of the {name}")


either = pytest.mark.parametrize("prenorm", [False, True], ids=["plain", "prenorm"])


@task("stack_norms", weight=8)
@either
@pytest.mark.parametrize("n", [1, 2, 7])
def test_stack(student, reference, rng, n, prenorm):
    """A random input under one, two and seven layers."""
    x = draw(rng, (3, 6))[0]
    Ws = draw_bank(rng, 6, n, 0.8)
    assert_norms(student.stack_norms(x, Ws, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms", weight=9)
@either
def test_stream(student, reference, rng, prenorm):
    """The norm of the stream alone."""
    x, Ws = draw(rng, (3, 6))[0], draw_bank(rng, 6, 4)
    stream, _ = expect_tuple(student.stack_norms(x, Ws, prenorm), "stream", "gradient")
    assert_close(stream, reference.stack_norms(x, Ws, prenorm)[0], what="the norm of the stream")


@task("stack_norms", weight=4)
@either
def test_stack_of_sequences(student, reference, rng, prenorm):
    """A batch of sequences."""
    x = draw(rng, (2, 3, 5))[0]
    Ws = draw_bank(rng, 5, 4, 1.2)
    assert_norms(student.stack_norms(x, Ws, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms", weight=3)
@either
def test_stack_of_no_layers(student, reference, rng, prenorm):
    """A stack without any layer."""
    x = draw(rng, (3, 6))[0]
    assert_norms(student.stack_norms(x, [], prenorm), reference.stack_norms(x, [], prenorm))


@task("stack_norms", weight=3)
@either
def test_stack_of_silence(student, reference, rng, prenorm):
    """Weights that are all zero."""
    x = draw(rng, (3, 6))[0]
    Ws = [np.zeros((6, 6))] * 3
    assert_norms(student.stack_norms(x, Ws, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms", weight=3)
@either
def test_stack_of_the_lesson(student, reference, prenorm):
    """The lesson's input under twenty of the lesson's layers, several times."""
    x, Ws = np.random.RandomState(0).randn(4, 16), reference.weight_bank(0.5)
    printed = numbers_in(TABLE.splitlines()[5])[int(prenorm) :: 2]
    for _ in range(2):
        norms = expect_tuple(student.stack_norms(x, Ws, prenorm), "stream", "gradient")
        for name, norm, wanted in zip(("stream", "gradient"), norms, printed):
            assert_printed(norm, wanted, what=f"the norm of the {name}")


@task("stack_norms", weight=8)
@either
def test_stack_leaves_arguments(student, reference, rng, prenorm):
    """Whether x and the weights are the same after the call, and the norms are right."""
    x = draw(rng, (3, 5))[0]
    Ws = draw_bank(rng, 5, 3, 0.8)
    kept_x, kept = student.put(x), student.put(Ws)
    assert_norms(student.stack_norms(kept_x, kept, prenorm), reference.stack_norms(x, Ws, prenorm))
    assert_exact(student.get(kept_x), x, what="x after the call")
    assert_unchanged(student, kept, Ws, "Ws")
    assert_modes_kept(student, "stack_norms", x, Ws, prenorm)


@task("stack_norms", weight=12)
def test_stack_axes_of_length_one(student, reference, rng):
    """A batch of one and a sequence of one."""
    for shape in THIN_SHAPES:
        x, Ws = draw(rng, shape)[0], draw_bank(rng, shape[-1], 3)
        for prenorm in (False, True):
            assert_norms(student.stack_norms(x, Ws, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms", weight=12)
def test_stack_that_uses_weights_twice(student, reference, rng):
    """A list that holds the very same weights more than once."""
    x, (W, V) = draw(rng, (3, 5))[0], draw_bank(rng, 5, 2)
    kept_W, kept_V = put_all(student, (W, V))
    kept, Ws = student.put([kept_W, kept_V, kept_W, kept_W]), [W, V, W, W]
    for prenorm in (False, True):
        assert_norms(student.stack_norms(x, kept, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms", weight=4)
def test_loud_and_quiet_stacks(student, reference, rng):
    """Very large and very small inputs, and large weights."""
    x, Ws = draw(rng, (3, 5))[0], draw_bank(rng, 5, 3, 4.0)
    for size in (0.0, 1e-12, 1.0, 1e4):
        for prenorm in (False, True):
            norms = student.stack_norms(size * x, Ws, prenorm)
            assert_norms(norms, reference.stack_norms(size * x, Ws, prenorm))


@task("stack_norms", weight=10)
def test_stack_not_contiguous(student, reference, rng):
    """Arrays that are not contiguous: transposed in memory, or every other entry of something larger."""
    x, Ws = draw(rng, (2, 3, 4))[0], draw_bank(rng, 4, 2)
    for _, (view, *views) in in_other_layouts(student, (x, *Ws)):
        for prenorm in (False, True):
            assert_norms(student.stack_norms(view, views, prenorm), reference.stack_norms(x, Ws, prenorm))


@task("stack_norms", weight=14)
def test_stack_again(student, reference, rng):
    """The same arrays in the same list twice, with other numbers in them the second time."""
    arrays = [draw(rng, (3, 5))[0], *draw_bank(rng, 5, 2)]
    kept, new = put_all(student, arrays), [same_but_for_the_first(value, rng) for value in arrays]
    kept_Ws = student.put(kept[1:])
    for x, *Ws in (arrays, new):
        overwrite_all(student, kept, (x, *Ws))
        for prenorm in (False, True):
            norms = student.stack_norms(kept[0], kept_Ws, prenorm)
            assert_norms(norms, reference.stack_norms(x, Ws, prenorm))


# --- drift_table ---


def numbers_in(table):
    """The decimal numbers of a table's text, row by row, as text."""
    require(type(table) is str, "the table should be a string")
    return re.findall(r"(?<!\d)\d+\.\d+", table)


def assert_table_numbers(found, expected):
    wanted = numbers_in(expected)
    found = numbers_in(found)
    require(len(found) == len(wanted), f"the table should hold {len(wanted)} decimal numbers, yours holds {len(found)}")
    columns = ("stream res", "stream pre", "grad res", "grad pre")
    for place, (mine, printed) in enumerate(zip(found, wanted)):
        assert_printed(float(mine), printed, what=f"row {place // 4 + 1}, column {columns[place % 4]}")


@task("drift_table", weight=8)
def test_table_of_the_lesson(student, reference):
    """The lesson's table, byte for byte."""
    table = student.drift_table(reference.weight_bank(0.5, n=100), DEPTHS)
    assert_text(table, TABLE, what="the table")


@task("drift_table", weight=30)
def test_table_numbers(student, reference, rng):
    """The numbers in the table of another bank, whatever the layout."""
    Ws, depths = draw_bank(rng, 16, 7, 0.9), [1, 4, 7]
    assert_table_numbers(student.drift_table(Ws, depths), reference.drift_table(Ws, depths))


@task("drift_table", weight=14)
def test_table_of_other_weights(student, reference, rng):
    """The table of another bank and of other depths, byte for byte."""
    Ws, depths = draw_bank(rng, 16, 12, 0.7), [2, 3, 12]
    assert_text(student.drift_table(Ws, depths), reference.drift_table(Ws, depths), what="the table")


@task("drift_table", weight=5)
def test_table_header(student, rng):
    """The first two lines of a table, byte for byte."""
    table = student.drift_table(draw_bank(rng, 16, 2), [2, 1])
    require(type(table) is str, "the table should be a string")
    head = "\n".join(TABLE.splitlines()[:2])
    assert_text("\n".join(table.splitlines()[:2]), head, what="the first two lines")


@task("drift_table", weight=8)
@pytest.mark.parametrize("depths", [[4, 4], [3, 1, 3, 2, 2]], ids=["pair", "mixed"])
def test_table_of_equal_depths(student, reference, rng, depths):
    """The numbers where depths come more than once and in no order."""
    Ws = draw_bank(rng, 16, 4)
    assert_table_numbers(student.drift_table(Ws, depths), reference.drift_table(Ws, depths))


@task("drift_table", weight=6)
def test_table_of_hardly_any_depths(student, reference, rng):
    """The tables of one depth and of none."""
    Ws = draw_bank(rng, 16, 2)
    Ws[0][0, 0] = 8.0
    for depths in ([1], [2], []):
        bank = Ws[: sum(depths)]
        views = [student.laid_out(W, "columns") for W in bank]
        assert_table_numbers(student.drift_table(views, depths), reference.drift_table(bank, depths))


@task("drift_table", weight=12)
def test_table_leaves_arguments(student, reference, rng):
    """Whether the lists of weights and of depths are the same after the call, and other weights in them count."""
    Ws, depths = draw_bank(rng, 16, 4), [4, 1, 3]
    handles, kept = put_all(student, Ws), student.put(depths)
    kept_Ws = student.put(handles)
    assert_modes_kept(student, "drift_table", kept_Ws, kept)
    assert_unchanged(student, kept, depths, "depths")
    assert_unchanged(student, kept_Ws, Ws, "Ws")
    new = [same_but_for_the_first(W, rng) / 4 for W in Ws]
    overwrite_all(student, handles, new)
    assert_table_numbers(student.drift_table(kept_Ws, kept), reference.drift_table(new, depths))
