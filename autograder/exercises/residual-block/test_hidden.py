"""The hidden suite: random inputs against the reference, forward and backward."""

import math

import pytest
import torch

from autograder.testing import assert_close, assert_exact, expect_bool, expect_tuple, require, task

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


def awake(args):
    """The same inputs, all positive: every hidden unit is awake and so is every entry of out."""
    return [a.abs() + 0.1 for a in args]


def in_other_layouts(student, args):
    """The same inputs twice, lying otherwise in the memory of the student's process."""
    for layout in ("columns", "steps"):
        yield layout, [student.laid_out(a, layout) for a in args]


def same_but_for_the_first(x, rng):
    """Other numbers for x, but for the first entry."""
    new = normal(rng, *x.shape, dtype=x.dtype)
    new.view(-1)[0] = x.view(-1)[0]
    return new


def assert_nothing_left_on(student, handles, names):
    for name, handle in zip(names, handles, strict=True):
        requires, has_grad = expect_tuple(student.traces_on(handle), "requires_grad", "grad")
        require(not expect_bool(requires), f"{name}.requires_grad should be False after the call, as it was before")
        require(not expect_bool(has_grad), f"{name}.grad should be None after the call, as it was before")


def assert_modes_kept(student, name, *arguments):
    getattr(student, name)(*arguments)
    modes = expect_tuple(student.modes_after(name, *arguments), "grad mode", "default dtype", "random numbers")
    for mode, changed in zip(("grad mode", "default dtype", "state of the random numbers"), modes, strict=True):
        require(not expect_bool(changed), f"torch's {mode} should be after the call as it was before")


# --- residual_block


@task("residual_block", weight=2)
def test_example(student, reference, rng):
    """The example of the lesson: x (2, 4), hidden layer of 8."""
    args = draw(rng, (2,), dtype=torch.float32)
    out = student.residual_block(*args)
    assert_close(out, reference.residual_block(*args), what="out")
    require(out.shape == torch.Size([2, 4]), "out must have the shape of x, (2, 4).")


@task("residual_block", weight=6)
@dtypes
@leads
def test_forward(student, reference, rng, lead, dtype):
    """The output for random inputs: a vector, a batch or a batch of sequences."""
    args = draw(rng, lead, *rng.integers(2, 9, size=2), dtype=dtype)
    assert_close(student.residual_block(*args), reference.residual_block(*args), what="out")


@task("residual_block", weight=10)
def test_forward_without_biases(student, reference, rng):
    """The output for random weights and biases of zero."""
    x, w1, b1, w2, b2 = draw(rng, d_model=6, d_ff=3)
    args = [x, w1, 0 * b1, w2, 0 * b2]
    assert_close(student.residual_block(*args), reference.residual_block(*args), what="out")


@task("residual_block", weight=12)
def test_everything_positive(student, reference, rng):
    """The output where all inputs are positive, so that no ReLU has anything to do."""
    args = awake(draw(rng, d_model=3, d_ff=7))
    assert_close(student.residual_block(*args), reference.residual_block(*args), what="out")


@task("residual_block", weight=6)
def test_hidden_layer_asleep(student, reference, rng):
    """The output where every hidden unit is below zero."""
    x, w1, b1, w2, b2 = draw(rng, d_model=3, d_ff=7)
    args = [x.abs(), -w1.abs(), -b1.abs(), w2, b2]
    assert_close(student.residual_block(*args), reference.residual_block(*args), what="out")


@task("residual_block", weight=8)
@pytest.mark.parametrize("lead", [(1,), (1, 1), (4, 1)], ids=["batch", "both", "sequence"])
def test_axes_of_length_one(student, reference, rng, lead):
    """A batch of one, a sequence of one, a width of one, a single hidden unit."""
    for d_model, d_ff in ((4, 6), (1, 5), (3, 1)):
        args = draw(rng, lead, d_model, d_ff)
        out = student.residual_block(*args)
        assert_close(out, reference.residual_block(*args), what=f"out for x of shape {tuple(args[0].shape)}")


@task("residual_block", weight=14)
def test_not_contiguous(student, reference, rng):
    """Inputs that are not contiguous: transposed in memory, or every other entry of something larger."""
    args = draw(rng, (2, 3), d_model=4, d_ff=5)
    for layout, views in in_other_layouts(student, args):
        out = student.residual_block(*views)
        assert_close(out, reference.residual_block(*args), what=f"out in {layout}")


@task("residual_block", weight=12)
def test_loud_and_quiet(student, reference, rng):
    """Very large and very small inputs."""
    x, w1, b1, w2, b2 = draw(rng, d_model=4, d_ff=6)
    for size in (1e-7, 1e4, 0.0):
        args = [size * x, w1, size * b1, w2, size * b2]
        assert_close(student.residual_block(*args), reference.residual_block(*args), what=f"out for x times {size:g}")


@task("residual_block", weight=18)
def test_inputs_untouched(student, reference, rng):
    """The inputs after the call, and the output all the same; then with w1 and w2, b1 and b2 the same tensors."""
    args = draw(rng)
    handles = [student.put(a) for a in args]
    out = student.residual_block(*handles)
    for name, handle, before in zip(NAMES, handles, args, strict=True):
        assert_exact(student.get(handle), before, what=f"{name} after the call")
    require(isinstance(out, torch.Tensor) and out.shape == args[0].shape, "out should be a tensor of x's shape")
    x, w, b, _, _ = awake(draw(rng, d_model=4, d_ff=4))
    kept_x, kept_w, kept_b = student.put(x), student.put(w), student.put(b)
    out = student.residual_block(kept_x, kept_w, kept_b, kept_w, kept_b)
    assert_close(out, reference.residual_block(x, w, b, w, b), what="out for w2 = w1 and b2 = b1")


@task("residual_block", weight=14)
def test_same_tensors_again(student, reference, rng):
    """The same tensors twice, with other numbers in them the second time."""
    args = awake(draw(rng))
    handles = [student.put(a) for a in args]
    assert_close(student.residual_block(*handles), reference.residual_block(*args), what="out the first time")
    new = awake([same_but_for_the_first(a, rng) for a in args])
    for handle, numbers in zip(handles, new, strict=True):
        student.overwrite(handle, numbers)
    assert_close(student.residual_block(*handles), reference.residual_block(*new), what="out the second time")


@task("residual_block", weight=14)
def test_block_leaves_no_traces(student, reference, rng):
    """Flags and modes after the call: requires_grad and grad of the inputs, torch's grad mode and the like."""
    args = awake(draw(rng))
    handles = [student.put(a) for a in args]
    assert_close(student.residual_block(*handles), reference.residual_block(*args), what="out")
    assert_modes_kept(student, "residual_block", *handles)
    assert_nothing_left_on(student, handles, NAMES)


@task("residual_block", weight=4)
@pytest.mark.parametrize("name", NAMES)
def test_gradient(student, reference, rng, name):
    """The gradient of one of the inputs for a random upstream gradient."""
    args = draw(rng, (4,), d_model=3, d_ff=6)
    upstream = normal(rng, 4, 3)
    _, grads = student.gradients("residual_block", *args, upstream=upstream)
    which = NAMES.index(name)
    assert_close(grads[which], expected_gradients(reference, args, upstream)[which], what=f"d{name}")


@task("residual_block", weight=2)
@dtypes
@leads
def test_all_gradients(student, reference, rng, lead, dtype):
    """All five gradients together for a random upstream gradient."""
    args = draw(rng, lead, d_model=5, d_ff=4, dtype=dtype)
    assert_all_gradients(student, reference, args, normal(rng, *lead, 5, dtype=dtype))


@task("residual_block", weight=8)
def test_gradients_with_everything_positive(student, reference, rng):
    """All five gradients where all inputs are positive, so that no ReLU has anything to do."""
    args = awake(draw(rng, (2,), d_model=3, d_ff=4))
    assert_all_gradients(student, reference, args, normal(rng, 2, 3))


def assert_all_gradients(student, reference, args, upstream):
    _, grads = student.gradients("residual_block", *args, upstream=upstream)
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
    """Both pieces. The first one's dtype is asked for once, and not again in every test."""
    identity, branch = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    return identity.double() if isinstance(identity, torch.Tensor) else identity, branch


def assert_branch_piece(student, reference, args, given=None, what="branch_jacobian"):
    """The second piece is right for `args`, which the student is given as they are or as `given`."""
    _, branch = pieces(student, args if given is None else given)
    assert_close(branch, reference.residual_jacobian(*args)[1], what=what)


@task("jacobian", weight=15)
def test_identity_piece(student, rng):
    """The first piece: the identity."""
    identity, _ = pieces(student, draw_point(rng, 6, 9))
    assert_exact(identity, torch.eye(6, dtype=torch.float64), what="identity")


@task("jacobian", weight=2)
@dtypes
def test_dtype_of_the_identity(student, reference, rng, dtype):
    """The dtype of the first piece."""
    args = draw_point(rng, 6, 9, dtype)
    identity, _ = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    assert_close(identity, reference.residual_jacobian(*args)[0], what="identity")


@task("jacobian", weight=14)
@pytest.mark.parametrize(("d_model", "d_ff"), [(4, 8), (3, 5), (5, 2)])
def test_branch_piece(student, reference, rng, d_model, d_ff):
    """The second piece: the Jacobian of the branch, for several widths."""
    assert_branch_piece(student, reference, draw_point(rng, d_model, d_ff))


@task("jacobian", weight=5)
def test_branch_piece_float32(student, reference, rng):
    """The second piece for float32 inputs."""
    assert_branch_piece(student, reference, draw_point(rng, 4, 6, torch.float32))


@task("jacobian", weight=15)
def test_symmetric_branch(student, reference, rng):
    """The second piece where it is its own transpose."""
    x, w1, b1, _, b2 = draw_point(rng, 4, 7)
    assert_branch_piece(student, reference, [x, w1, b1, w1.T.clone(), b2])


@task("jacobian", weight=9)
@pytest.mark.parametrize(("d_model", "d_ff"), [(8, 3), (2, 6)])
def test_sum_is_the_block(student, reference, rng, d_model, d_ff):
    """The sum of the two pieces against the autograd Jacobian of the whole block."""
    x, *weights = draw_point(rng, d_model, d_ff)
    whole = torch.autograd.functional.jacobian(lambda v: reference.residual_block(v, *weights), x)
    identity, branch = pieces(student, [x, *weights])
    require(isinstance(identity, torch.Tensor) and isinstance(branch, torch.Tensor), "both pieces should be tensors")
    require(identity.shape == branch.shape, "both pieces should have the same shape")
    assert_close(identity + branch, whole, what="identity + branch_jacobian")


@task("jacobian", weight=12)
def test_widths_of_one(student, reference, rng):
    """A vector of one entry, a single hidden unit."""
    assert_branch_piece(student, reference, awake(draw(rng, (), 1, 3)))
    assert_branch_piece(student, reference, awake(draw(rng, (), 4, 1)))
    assert_branch_piece(student, reference, awake(draw(rng, (), 1, 1)))


@task("jacobian", weight=6)
def test_awake_and_asleep(student, reference, rng):
    """The second piece where all hidden units are awake, and where all are asleep."""
    x, w1, b1, w2, b2 = draw(rng, (), d_model=4, d_ff=5)
    for point, bias in ((x, b1 + 100.0), (0 * x, b1 + 100.0), (x, b1 - 100.0)):
        assert_branch_piece(student, reference, [point, w1, bias, w2, b2])


@task("jacobian", weight=10)
def test_jacobian_loud_and_quiet(student, reference, rng):
    """Very large and very small inputs."""
    x, w1, b1, w2, b2 = draw_point(rng, 4, 6)
    for size in (1e-7, 1e4):
        args = [size * x, w1, size * b1, w2, size * b2]
        assert_branch_piece(student, reference, args, what=f"branch_jacobian for x times {size:g}")


@task("jacobian", weight=12)
def test_jacobian_not_contiguous(student, reference, rng):
    """Inputs that are not contiguous: transposed in memory, or every other entry of something larger."""
    args = draw_point(rng, 4, 5)
    for layout, views in in_other_layouts(student, args):
        assert_branch_piece(student, reference, args, views, f"branch_jacobian in {layout}")


@task("jacobian", weight=14)
def test_jacobian_inputs_untouched(student, reference, rng):
    """The inputs after the call, and the second piece all the same."""
    args = draw_point(rng, 3, 4)
    handles = [student.put(a) for a in args]
    assert_branch_piece(student, reference, args, handles)
    for name, handle, before in zip(NAMES, handles, args, strict=True):
        assert_exact(student.get(handle), before, what=f"{name} after the call")


@task("jacobian", weight=16)
def test_jacobian_again(student, reference, rng):
    """The same tensors several times, in the end with other numbers in them."""
    args = draw_point(rng, 3, 4)
    handles = [student.put(a) for a in args]
    for call in ("first call", "second call"):
        assert_branch_piece(student, reference, args, handles, f"branch_jacobian of the {call}")
    new = [same_but_for_the_first(a, rng) for a in args]
    for handle, numbers in zip(handles, new, strict=True):
        student.overwrite(handle, numbers)
    assert_branch_piece(student, reference, new, handles, "branch_jacobian for other numbers")


@task("jacobian", weight=14)
def test_jacobian_leaves_no_traces(student, rng):
    """Flags and modes after the call: requires_grad and grad of the inputs, torch's grad mode and the like."""
    handles = [student.put(a) for a in draw_point(rng, 3, 4)]
    identity, _ = pieces(student, handles)
    assert_close(identity, torch.eye(3, dtype=torch.float64), what="identity")
    assert_modes_kept(student, "residual_jacobian", *handles)
    assert_nothing_left_on(student, handles, NAMES)


# --- stack_gradient


def norm_of(value):
    """The norm as a number. Its type is asked for once, and not again in every test."""
    is_one = isinstance(value, torch.Tensor) and value.numel() == 1 and value.is_floating_point()
    return float(value) if is_one else value


def assert_norm(student, reference, x, params, residual, given=None, what="norm"):
    """The norm is right for `x` and `params`, which the student is given as they are or as `given`."""
    given_x, given_params = given or (x, params)
    actual = norm_of(student.stack_input_gradient(given_x, given_params, residual))
    assert_close(actual, reference.stack_input_gradient(x, params, residual), what=what)


def put_stack(student, x, params):
    """x and all parameters in the student's process: both arguments there, and the handles of all tensors."""
    blocks = [tuple(student.put(w) for w in block) for block in params]
    kept_x = student.put(x)
    return (kept_x, student.put(blocks)), [kept_x, *(w for block in blocks for w in block)]


def names_of_stack(params):
    return ["x", *(f"{name} of block {i}" for i in range(1, len(params) + 1) for name in NAMES[1:])]


@task("stack_gradient", weight=10)
@either
@pytest.mark.parametrize("n", [1, 2, 5])
def test_stack(student, reference, rng, n, residual):
    """The norm under one, two and five blocks, with and without the skip."""
    x, params = draw_stack(rng, n, d_model=int(rng.integers(3, 7)), d_ff=6)
    assert_norm(student, reference, x, params, residual)


@task("stack_gradient", weight=3)
@either
@pytest.mark.parametrize("lead", [(), (2, 3)], ids=["vector", "sequence"])
def test_stack_batch_axes(student, reference, rng, lead, residual):
    """The norm for a single vector and for a batch of sequences."""
    x, params = draw_stack(rng, 3, lead)
    assert_norm(student, reference, x, params, residual)


@task("stack_gradient", weight=5)
def test_no_block(student, rng):
    """The norm under an empty stack."""
    x = normal(rng, 3, 5)
    for residual in (True, False):
        value = norm_of(student.stack_input_gradient(x, [], residual))
        assert_close(value, math.sqrt(15.0), what="norm")


@task("stack_gradient", weight=12)
def test_deep_stack(student, reference, rng):
    """Twenty blocks: the gradient survives with the skip and vanishes without it."""
    x, params = draw_stack(rng, 20, d_model=8, d_ff=16, scale=0.7)
    assert_norm(student, reference, x, params, True, what="norm with skip")
    assert_norm(student, reference, x, params, False, what="norm without")


@task("stack_gradient", weight=3)
@either
def test_stack_float32(student, reference, rng, residual):
    """The norm for float32 inputs."""
    x, params = draw_stack(rng, 3, dtype=torch.float32)
    value = norm_of(student.stack_input_gradient(x, params, residual))
    assert_close(value, reference.stack_input_gradient(x, params, residual), what="norm", rtol=1e-4)


@task("stack_gradient", weight=5)
def test_type_of_the_norm(student, reference, rng):
    """The type of the norm: a Python float."""
    x, params = draw_stack(rng, 2)
    value = student.stack_input_gradient(x, params, True)
    assert_close(norm_of(value), reference.stack_input_gradient(x, params, True), what="norm")
    require(isinstance(value, float), "The norm must be a Python float.")


@task("stack_gradient", weight=8)
@either
def test_stack_axes_of_length_one(student, reference, rng, residual):
    """A batch of one, a sequence of one, a width of one, a single hidden unit."""
    for lead, d_model, d_ff in (((1,), 4, 6), ((1, 1), 3, 5), ((4, 1), 3, 5), ((2,), 1, 5), ((2,), 3, 1)):
        x, params = draw_stack(rng, 2, lead, d_model, d_ff)
        assert_norm(student, reference, x, params, residual, what=f"norm for x of shape {tuple(x.shape)}")


@task("stack_gradient", weight=12)
def test_stack_not_contiguous(student, reference, rng):
    """Inputs that are not contiguous: transposed in memory, or every other entry of something larger."""
    x, params = draw_stack(rng, 2, (2, 3))
    for layout in ("columns", "steps"):
        given = student.laid_out(x, layout), [tuple(student.laid_out(w, layout) for w in block) for block in params]
        assert_norm(student, reference, x, params, True, given, f"norm in {layout}")


@task("stack_gradient", weight=6)
def test_loud_stack(student, reference, rng):
    """Very large and very small inputs, and parameters that are large."""
    x, params = draw_stack(rng, 3, scale=20.0)
    for size in (0.0, 1e-6, 1.0, 1e5):
        assert_norm(student, reference, size * x, params, True, what=f"norm for x times {size:g}")


@task("stack_gradient", weight=8)
@either
def test_blocks_that_share_parameters(student, reference, rng, residual):
    """A stack in which one block stands several times, as the very same tensors."""
    x, (first, second) = draw_stack(rng, 2)
    shared = tuple(student.put(w) for w in first)
    given = student.put(x), student.put([shared, second, shared, shared])
    assert_norm(student, reference, x, [first, second, first, first], residual, given)


@task("stack_gradient", weight=16)
def test_stack_twice(student, reference, rng):
    """Two calls with the same x: the same number, and x and the parameters as they were."""
    x, params = draw_stack(rng, 2)
    given, handles = put_stack(student, x, params)
    for call in ("first call", "second call"):
        assert_norm(student, reference, x, params, True, given, call)
    before = [x, *(w for block in params for w in block)]
    for name, handle, old in zip(names_of_stack(params), handles, before, strict=True):
        assert_exact(student.get(handle), old, what=f"{name} after the calls")
    after = expect_tuple(student.get(given[1]), "first block", "second block")
    for block in after:
        expect_tuple(block, *NAMES[1:])


@task("stack_gradient", weight=16)
def test_stack_again_with_other_numbers(student, reference, rng):
    """The same tensors twice, with other numbers in them the second time."""
    x, params = draw_stack(rng, 2)
    given, handles = put_stack(student, x, params)
    assert_norm(student, reference, x, params, True, given, "norm the first time")
    new_x, new_params = draw_stack(rng, 2)
    new_x.view(-1)[0] = x.view(-1)[0]
    for handle, numbers in zip(handles[1:], (w for block in new_params for w in block), strict=True):
        student.overwrite(handle, numbers)
    assert_norm(student, reference, x, new_params, True, given, "norm for other parameters")
    student.overwrite(handles[0], new_x)
    assert_norm(student, reference, new_x, new_params, True, given, "norm for another x, too")


@task("stack_gradient", weight=14)
def test_stack_leaves_no_traces(student, reference, rng):
    """Flags and modes after the call: requires_grad and grad of the inputs, torch's grad mode and the like."""
    x, params = draw_stack(rng, 2)
    given, handles = put_stack(student, x, params)
    assert_norm(student, reference, x, params, True, given)
    assert_modes_kept(student, "stack_input_gradient", *given, True)
    assert_nothing_left_on(student, handles, names_of_stack(params))
