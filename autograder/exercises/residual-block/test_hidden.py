"""The hidden suite: random inputs against the reference, forward and backward."""

import math

import pytest
import torch

from autograder.testing import assert_close, assert_exact, expect_tuple, require, task

NAMES = ("x", "w1", "b1", "w2", "b2")
leads = pytest.mark.parametrize("lead", [(), (5,), (2, 3)], ids=["vector", "batch", "sequence"])
dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
either = pytest.mark.parametrize("residual", [True, False], ids=["skip", "plain"])


def normal(rng, *shape, dtype=torch.float64):
    return torch.tensor(rng.standard_normal(shape), dtype=dtype)


def draw(rng, lead=(5,), d_model=4, d_ff=8, dtype=torch.float64):
    """Random inputs of a block: x, w1, b1, w2, b2."""
    shapes = [(*lead, d_model), (d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    return [normal(rng, *shape, dtype=dtype) for shape in shapes]


def draw_stack(rng, n, lead=(3,), d_model=4, d_ff=8, scale=1.0, dtype=torch.float64):
    """A random input and the parameters of n blocks."""
    params = []
    for _ in range(n):
        _, w1, b1, w2, b2 = draw(rng, (), d_model, d_ff, dtype)
        params.append((scale * w1 / d_model**0.5, 0.1 * b1, scale * w2 / d_ff**0.5, 0.1 * b2))
    return normal(rng, *lead, d_model, dtype=dtype), params


def expected_gradients(reference, args, upstream):
    leaves = [a.clone().requires_grad_() for a in args]
    return torch.autograd.grad(reference.residual_block(*leaves), leaves, upstream)


def checked_gradients(student, reference, args, upstream):
    """The student's gradients, once the output they belong to is right."""
    out, grads = student.gradients("residual_block", *args, upstream=upstream)
    assert_close(out, reference.residual_block(*args), what="out")
    return grads


# --- residual_block


@task("residual_block")
def test_example(student, reference, rng):
    """The example of the lesson: x (2, 4), hidden layer of 8."""
    args = draw(rng, (2,), dtype=torch.float32)
    out = student.residual_block(*args)
    assert_close(out, reference.residual_block(*args), what="out")
    require(out.shape == torch.Size([2, 4]), "out must have the shape of x, (2, 4).")


@task("residual_block")
@dtypes
@leads
def test_forward(student, reference, rng, lead, dtype):
    """The output for random inputs: a vector, a batch or a batch of sequences."""
    args = draw(rng, lead, *rng.integers(2, 9, size=2), dtype=dtype)
    assert_close(student.residual_block(*args), reference.residual_block(*args), what="out")


@task("residual_block", weight=2)
def test_forward_without_biases(student, reference, rng):
    """The output for random weights and biases of zero."""
    x, w1, b1, w2, b2 = draw(rng, d_model=6, d_ff=3)
    args = [x, w1, 0 * b1, w2, 0 * b2]
    assert_close(student.residual_block(*args), reference.residual_block(*args), what="out")


@task("residual_block")
def test_hidden_layer_asleep(student, reference, rng):
    """The output where every hidden unit is below zero."""
    x, w1, b1, w2, b2 = draw(rng, d_model=3, d_ff=7)
    args = [x.abs(), -w1.abs(), -b1.abs(), w2, b2]
    assert_close(student.residual_block(*args), reference.residual_block(*args), what="out")


@task("residual_block")
def test_inputs_untouched(student, reference, rng):
    """The inputs after the call."""
    args = draw(rng)
    handles = [student.put(a) for a in args]
    out = student.residual_block(*handles)
    assert_close(out, reference.residual_block(*args), what="out")
    for name, handle, before in zip(NAMES, handles, args, strict=True):
        assert_exact(student.get(handle), before, what=f"{name} after the call")


@task("residual_block")
@pytest.mark.parametrize("name", NAMES)
def test_gradient(student, reference, rng, name):
    """The gradient of one of the inputs for a random upstream gradient."""
    args = draw(rng, (4,), d_model=3, d_ff=6)
    upstream = normal(rng, 4, 3)
    grads = checked_gradients(student, reference, args, upstream)
    which = NAMES.index(name)
    expected = expected_gradients(reference, args, upstream)
    assert_close(grads[which], expected[which], what=f"d{name}")


@task("residual_block")
@dtypes
@leads
def test_all_gradients(student, reference, rng, lead, dtype):
    """All five gradients together for a random upstream gradient."""
    args = draw(rng, lead, d_model=5, d_ff=4, dtype=dtype)
    upstream = normal(rng, *lead, 5, dtype=dtype)
    grads = checked_gradients(student, reference, args, upstream)
    expected = expected_gradients(reference, args, upstream)
    for name, grad, right in zip(NAMES, grads, expected, strict=True):
        assert_close(grad, right, what=f"d{name}")


# --- identity_gradient


def silent(student, rng, d_model, d_ff, dtype):
    """Inputs whose branch is zero, for a block that does not return x in any other case."""
    x, w1, b1, w2, b2 = draw(rng, (3,), d_model, d_ff, dtype)
    out = student.residual_block(x, w1, b1, w2, b2 + 10.0)
    lazy = isinstance(out, torch.Tensor) and out.dtype == dtype and torch.equal(out, x)
    require(not lazy, "The block returns x even where its branch is not zero.")
    return [x, w1, b1, torch.zeros_like(w2), torch.zeros_like(b2)]


@task("identity_gradient")
@dtypes
def test_output_is_x(student, rng, dtype):
    """The output of a block with w2 = 0 and b2 = 0, bit for bit."""
    args = silent(student, rng, 6, 5, dtype)
    assert_exact(student.residual_block(*args), args[0], what="out")


@task("identity_gradient")
@dtypes
def test_all_ones_upstream(student, rng, dtype):
    """x.grad after out.sum().backward() with w2 = 0 and b2 = 0, bit for bit."""
    args = silent(student, rng, 4, 8, dtype)
    out, grads = student.gradients("residual_block", *args)
    assert_exact(out, args[0], what="out")
    assert_exact(grads[0], torch.ones_like(args[0]), what="x.grad")


@task("identity_gradient")
@dtypes
def test_random_upstream(student, rng, dtype):
    """x.grad for a random upstream gradient with w2 = 0 and b2 = 0, bit for bit."""
    args = silent(student, rng, 5, 7, dtype)
    upstream = normal(rng, 3, 5, dtype=dtype)
    out, grads = student.gradients("residual_block", *args, upstream=upstream)
    assert_exact(out, args[0], what="out")
    assert_exact(grads[0], upstream, what="x.grad")


@task("identity_gradient")
@pytest.mark.parametrize(("size", "shift"), [(1e3, 0.0), (1.0, 1e3), (1.0, -1e3)])
def test_whatever_the_first_layer(student, rng, size, shift):
    """Output and x.grad with w2 = 0 and b2 = 0 and extreme w1 and b1, bit for bit."""
    x, w1, b1, w2, b2 = silent(student, rng, 4, 6, torch.float64)
    upstream = normal(rng, 3, 4)
    args = [x, size * w1, b1 + shift, w2, b2]
    out, grads = student.gradients("residual_block", *args, upstream=upstream)
    assert_exact(out, x, what="out")
    assert_exact(grads[0], upstream, what="x.grad")


# --- jacobian


def draw_point(rng, d_model, d_ff, dtype=torch.float64):
    """Inputs for one vector x; their biases wake the first hidden unit and silence the second."""
    x, w1, b1, w2, b2 = draw(rng, (), d_model, d_ff, dtype)
    u = x @ w1
    w1[:, 0] *= -torch.sign(u[0])
    w1[:, 1] *= torch.sign(u[1])
    b1[:2] = -2 * (x @ w1)[:2]
    return [x, w1, b1, w2, b2]


def pieces(student, args):
    return expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")


@task("jacobian")
@dtypes
def test_identity_piece(student, reference, rng, dtype):
    """The first piece: the identity, in the dtype of x."""
    args = draw_point(rng, 6, 9, dtype)
    identity, _ = pieces(student, args)
    assert_exact(identity, reference.residual_jacobian(*args)[0], what="identity")


@task("jacobian", weight=2)
@pytest.mark.parametrize(("d_model", "d_ff"), [(4, 8), (3, 5), (5, 2)])
def test_branch_piece(student, reference, rng, d_model, d_ff):
    """The second piece: the Jacobian of the branch, for several widths."""
    args = draw_point(rng, d_model, d_ff)
    _, branch = pieces(student, args)
    assert_close(branch, reference.residual_jacobian(*args)[1], what="branch_jacobian")


@task("jacobian")
def test_branch_piece_float32(student, reference, rng):
    """The second piece for float32 inputs."""
    args = draw_point(rng, 4, 6, torch.float32)
    _, branch = pieces(student, args)
    assert_close(branch, reference.residual_jacobian(*args)[1], what="branch_jacobian")


@task("jacobian")
@pytest.mark.parametrize(("d_model", "d_ff"), [(8, 3), (2, 6), (1, 3)])
def test_sum_is_the_block(student, reference, rng, d_model, d_ff):
    """The sum of the two pieces against the autograd Jacobian of the whole block."""
    x, *weights = draw_point(rng, d_model, d_ff)
    whole = torch.autograd.functional.jacobian(lambda v: reference.residual_block(v, *weights), x)
    identity, branch = pieces(student, [x, *weights])
    assert_exact(identity, torch.eye(d_model, dtype=x.dtype), what="identity")
    assert_close(branch, whole - identity, what="branch_jacobian")
    assert_close(identity + branch, whole, what="identity + branch_jacobian")


@task("jacobian")
def test_awake_and_asleep(student, reference, rng):
    """The second piece where all hidden units are awake, and where all are asleep."""
    x, w1, b1, w2, b2 = draw(rng, (), d_model=4, d_ff=5)
    for bias in (b1 + 100.0, b1 - 100.0):
        args = [x, w1, bias, w2, b2]
        identity, branch = pieces(student, args)
        assert_exact(identity, torch.eye(4, dtype=x.dtype), what="identity")
        assert_close(branch, reference.residual_jacobian(*args)[1], what="branch_jacobian")


@task("jacobian")
def test_jacobian_inputs_untouched(student, reference, rng):
    """The inputs after the call."""
    args = draw_point(rng, 3, 4)
    handles = [student.put(a) for a in args]
    _, branch = pieces(student, handles)
    assert_close(branch, reference.residual_jacobian(*args)[1], what="branch_jacobian")
    for name, handle, before in zip(NAMES, handles, args, strict=True):
        assert_exact(student.get(handle), before, what=f"{name} after the call")


# --- stack_gradient


@task("stack_gradient")
@either
@pytest.mark.parametrize("n", [1, 2, 5])
def test_stack(student, reference, rng, n, residual):
    """The norm under one, two and five blocks, with and without the skip."""
    x, params = draw_stack(rng, n, d_model=int(rng.integers(3, 7)), d_ff=6)
    actual = student.stack_input_gradient(x, params, residual)
    assert_close(actual, reference.stack_input_gradient(x, params, residual), what="norm")


@task("stack_gradient")
@either
@pytest.mark.parametrize("lead", [(), (2, 3)], ids=["vector", "sequence"])
def test_stack_batch_axes(student, reference, rng, lead, residual):
    """The norm for a single vector and for a batch of sequences."""
    x, params = draw_stack(rng, 3, lead)
    actual = student.stack_input_gradient(x, params, residual)
    assert_close(actual, reference.stack_input_gradient(x, params, residual), what="norm")


@task("stack_gradient")
def test_no_block(student, rng):
    """The norm under an empty stack."""
    x = normal(rng, 3, 5)
    for residual in (True, False):
        value = student.stack_input_gradient(x, [], residual)
        assert_close(value, math.sqrt(15.0), what="norm")


@task("stack_gradient", weight=2)
def test_deep_stack(student, reference, rng):
    """Twenty blocks: the gradient survives with the skip and vanishes without it."""
    x, params = draw_stack(rng, 20, d_model=8, d_ff=16, scale=0.7)
    skip = student.stack_input_gradient(x, params, True)
    plain = student.stack_input_gradient(x, params, False)
    assert_close(skip, reference.stack_input_gradient(x, params, True), what="norm with skip")
    assert_close(plain, reference.stack_input_gradient(x, params, False), what="norm without")
    require(skip > 1.0 > 1e4 * plain, "Only the stack without the skip may lose its gradient.")


@task("stack_gradient")
@either
def test_stack_float32(student, reference, rng, residual):
    """The norm for float32 inputs, as a Python float."""
    x, params = draw_stack(rng, 3, dtype=torch.float32)
    value = student.stack_input_gradient(x, params, residual)
    require(isinstance(value, float), "The norm must be a Python float.")
    expected = reference.stack_input_gradient(x, params, residual)
    assert_close(value, expected, what="norm", rtol=1e-4)


@task("stack_gradient", weight=2)
def test_stack_twice(student, reference, rng):
    """Two calls with the same x: the same number, and x and the parameters as they were."""
    x, params = draw_stack(rng, 2)
    handle_x, handle_params = student.put(x), student.put(params)
    for call in ("first call", "second call"):
        value = student.stack_input_gradient(handle_x, handle_params, True)
        assert_close(value, reference.stack_input_gradient(x, params, True), what=call)
    assert_exact(student.get(handle_x), x, what="x after the calls")
    after = expect_tuple(student.get(handle_params), "first block", "second block")
    for block, before in zip(after, params, strict=True):
        for name, w, old in zip(NAMES[1:], expect_tuple(block, *NAMES[1:]), before, strict=True):
            assert_exact(w, old, what=f"{name} after the calls")
