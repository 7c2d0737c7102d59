"""What students run themselves: small numbers worked out by hand, shapes, finite differences."""

import math

import torch

from autograder.testing import assert_close, assert_exact, assert_unchanged, expect_tuple, require, task


def f64(values):
    return torch.tensor(values, dtype=torch.float64)


def small_block():
    """Inputs of a block with one hidden unit awake and one asleep: x, w1, b1, w2, b2."""
    return [
        f64([1.0, 2.0]),
        f64([[1.0, -1.0], [1.0, -1.0]]),
        f64([1.0, 1.0]),
        f64([[0.5, -1.0], [7.0, 7.0]]),
        f64([10.0, -20.0]),
    ]


def example(dtype=torch.float64, batch=(2,)):
    """Inputs of the size in the lesson, from a fixed seed: x, w1, b1, w2, b2."""
    rng = torch.Generator().manual_seed(1)
    shapes = [(*batch, 4), (4, 8), (8,), (8, 4), (4,)]
    return [torch.randn(shape, generator=rng, dtype=torch.float64).to(dtype) for shape in shapes]


def slopes(f, args, which, eps=1e-6):
    """Central differences of the scalar function f with respect to args[which]."""
    result = torch.zeros_like(args[which])
    for k in range(result.numel()):
        step = torch.zeros_like(result)
        step.view(-1)[k] = eps
        ends = [[*args[:which], args[which] + s, *args[which + 1 :]] for s in (step, -step)]
        result.view(-1)[k] = (f(ends[0]) - f(ends[1])) / (2 * eps)
    return result


@task("residual_block")
def test_example_shape(student):
    """The example of the lesson: x (2, 4) and a hidden layer of 8."""
    out = student.residual_block(*example(torch.float32))
    require(isinstance(out, torch.Tensor), "residual_block must return a torch tensor.")
    require(out.shape == (2, 4), f"x has shape (2, 4), but out has shape {tuple(out.shape)}.")
    require(out.dtype == torch.float32, f"x is float32, but out is {out.dtype}.")


@task("residual_block")
def test_numbers_by_hand(student):
    """Two hidden units, one awake and one asleep, small enough to do on paper."""
    assert_close(student.residual_block(*small_block()), f64([13.0, -22.0]), what="out")


@task("residual_block")
def test_batch_axes(student):
    """A batch of sequences gives for each vector what the vector gives alone."""
    x, *weights = example(batch=(2, 3))
    out = student.residual_block(x, *weights)
    alone = [student.residual_block(row, *weights) for row in x.reshape(-1, 4)]
    for row in alone:
        require(
            isinstance(row, torch.Tensor) and row.shape == (4,),
            "For a single vector x of shape (4,) out must be a tensor of shape (4,).",
        )
    assert_close(out, torch.stack(alone).reshape(2, 3, 4), what="out")


@task("residual_block")
def test_inputs_untouched(student):
    """No input is changed by the call."""
    args = example()
    handles = [student.put(a) for a in args]
    student.residual_block(*handles)
    for name, handle, before in zip(("x", "w1", "b1", "w2", "b2"), handles, args, strict=True):
        assert_unchanged(student.get(handle), before, what=name)


@task("residual_block")
def test_gradients_fit_the_output(student):
    """The gradients of all five inputs agree with finite differences of your own output."""
    args = example()
    upstream = f64([[1.0, -2.0, 0.5, 3.0], [0.25, 1.5, -1.0, 2.0]])

    def loss(inputs):
        out = student.residual_block(*inputs)
        require(isinstance(out, torch.Tensor), "residual_block must return a torch tensor.")
        require(out.shape == (2, 4), "out must have the shape of x.")
        return (out * upstream).sum().item()

    _, grads = student.gradients("residual_block", *args, upstream=upstream)
    for which, name in enumerate(("x", "w1", "b1", "w2", "b2")):
        require(grads[which] is not None, f"No gradient reaches {name}.")
        assert_close(grads[which], slopes(loss, args, which), what=f"d{name}", rtol=1e-4)


@task("identity_gradient")
def test_silent_branch(student):
    """w2 and b2 are zero and the upstream gradient is all ones."""
    x, w1, b1, w2, b2 = example(torch.float32)
    out, grads = student.gradients("residual_block", x, w1, b1, 0 * w2, 0 * b2)
    assert_exact(out, x, what="out")
    assert_exact(grads[0], torch.ones_like(x), what="x.grad")


@task("identity_gradient")
def test_silent_branch_any_upstream(student):
    """w2 and b2 are zero and the upstream gradient is some other tensor."""
    x, w1, b1, w2, b2 = example()
    upstream = f64([[1.0, -2.0, 0.5, 3.0], [0.1, 1.5, -1.0, 2.0]])
    _, grads = student.gradients("residual_block", x, w1, b1, 0 * w2, 0 * b2, upstream=upstream)
    assert_exact(grads[0], upstream, what="x.grad")


@task("jacobian")
def test_identity_piece(student):
    """The first piece is the identity matrix, in the dtype of x."""
    for dtype in (torch.float32, torch.float64):
        result = student.residual_jacobian(*example(dtype, batch=()))
        identity, _ = expect_tuple(result, "identity", "branch_jacobian")
        assert_exact(identity, torch.eye(4, dtype=dtype), what="identity")


@task("jacobian")
def test_one_hidden_unit(student):
    """One hidden unit that is awake, small enough to do on paper."""
    args = [f64([1.0, 1.0]), f64([[1.0], [2.0]]), f64([0.5]), f64([[3.0, 4.0]]), f64([9.0, 9.0])]
    _, branch = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    assert_close(branch, f64([[3.0, 6.0], [4.0, 8.0]]), what="branch_jacobian")


@task("jacobian")
def test_hidden_unit_asleep(student):
    """The same hidden unit, but its bias keeps it asleep: nothing gets through the branch."""
    args = [f64([1.0, 1.0]), f64([[1.0], [2.0]]), f64([-5.0]), f64([[3.0, 4.0]]), f64([9.0, 9.0])]
    _, branch = expect_tuple(student.residual_jacobian(*args), "identity", "branch_jacobian")
    assert_close(branch, f64([[0.0, 0.0], [0.0, 0.0]]), what="branch_jacobian")


def slope_block(slope):
    """Parameters of a branch of width 1 that multiplies a positive number by the slope."""
    return f64([[1.0]]), f64([0.0]), f64([[slope]]), f64([0.0])


@task("stack_gradient")
def test_returns_a_float(student):
    """The result is a Python float."""
    value = student.stack_input_gradient(f64([[2.0]]), [slope_block(3.0)], True)
    require(
        isinstance(value, float),
        f"Return a Python float, not {type(value).__name__}; .item() makes one of a tensor.",
    )


@task("stack_gradient")
def test_stack_by_hand(student):
    """Blocks of width 1 whose slopes can be multiplied on paper."""
    x, params = f64([[2.0]]), [slope_block(3.0), slope_block(0.5)]
    assert_close(student.stack_input_gradient(x, params[:1], False), 3.0, what="one branch")
    assert_close(student.stack_input_gradient(x, params[:1], True), 4.0, what="one block")
    assert_close(student.stack_input_gradient(x, params, False), 1.5, what="two branches")
    assert_close(student.stack_input_gradient(x, params, True), 6.0, what="two blocks")


@task("stack_gradient")
def test_norm_over_all_entries(student):
    """Three rows that each receive the same gradient."""
    x = f64([[1.0], [2.0], [3.0]])
    value = student.stack_input_gradient(x, [slope_block(3.0)], True)
    assert_close(value, 4.0 * math.sqrt(3.0), what="norm")


@task("stack_gradient")
def test_twice_the_same(student):
    """Two calls with the same x give the same number and leave x as it was."""
    x = student.put(f64([[2.0], [5.0]]))
    first = student.stack_input_gradient(x, [slope_block(3.0)], False)
    again = student.stack_input_gradient(x, [slope_block(3.0)], False)
    assert_close(first, 3.0 * math.sqrt(2.0), what="first call")
    assert_close(again, 3.0 * math.sqrt(2.0), what="second call")
    assert_unchanged(student.get(x), f64([[2.0], [5.0]]), what="x")
