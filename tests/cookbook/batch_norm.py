"""An exercise of one module that learns, remembers and behaves otherwise in training: batch normalization."""

from __future__ import annotations

TOML = """\
title = "Batch normalization"
framework = "torch"

[tasks.norm]
title = "Batch normalization"
points = 10
functions = ["BatchNorm"]
hint = "Which mean is taken in training, and which one afterwards?"
"""

NOTEBOOK = '''\
# %% [markdown]
# # Batch normalization
#
# In training each channel is brought to mean 0 and variance 1 over its batch, and a running mean and variance are kept:
# $\\text{running} \\leftarrow 0.9\\,\\text{running} + 0.1\\,\\text{batch}$. In evaluation those are taken.

# %% setup=true
import torch
from checks import check
from torch import nn


# %% task="norm"
class BatchNorm(nn.Module):
    """Batch normalization of (B, C).

    Its parameters are gamma, ones at first, and beta, zeros at first, each (C,). Its buffers are running_mean, zeros at
    first, and running_var, ones at first, each (C,). Both variances are those of the batch, divided by B. 1e-5 is added
    to a variance before its root is taken.
    """

    def __init__(self, channels):
        super().__init__()
        ### BEGIN SOLUTION
        self.gamma = nn.Parameter(torch.ones(channels))
        self.beta = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        ### END SOLUTION

    def forward(self, x):
        """x: (B, C); returns the same shape. In training the buffers take a tenth of the batch's mean and variance."""
        ### BEGIN SOLUTION
        if self.training:
            mean, var = x.mean(dim=0), x.var(dim=0, unbiased=False)
            with torch.no_grad():
                self.running_mean.mul_(0.9).add_(0.1 * mean)
                self.running_var.mul_(0.9).add_(0.1 * var)
        else:
            mean, var = self.running_mean, self.running_var
        return self.gamma * (x - mean) / torch.sqrt(var + 1e-5) + self.beta
        ### END SOLUTION


# %% grade="norm"
check("norm")
'''

PUBLIC = '''\
"""Two rows."""

import torch
from autograder.testing import assert_close, expect_object, require, task


@task("norm")
def test_two_rows(student):
    """Two rows in training: one below the mean, one above it."""
    norm = expect_object(student.BatchNorm(1), "BatchNorm")
    out = norm(torch.tensor([[100.0], [300.0]]))
    require(isinstance(out, torch.Tensor), "the module should return a tensor")
    assert_close(out.detach(), torch.tensor([[-1.0], [1.0]]), what="what it returns")


@task("norm")
def test_a_new_one_in_evaluation(student):
    """A new module in evaluation hands on what it gets."""
    norm = expect_object(student.BatchNorm(2), "BatchNorm")
    norm.eval()
    out = norm(torch.tensor([[1.0, -2.0]]))
    require(isinstance(out, torch.Tensor), "the module should return a tensor")
    assert_close(out.detach(), torch.tensor([[1.0, -2.0]]), what="what it returns", rtol=1e-4)
'''

HIDDEN = '''\
"""Random batches, against the reference, in both modes."""

import pytest
import torch
from autograder.testing import assert_close, assert_exact, assert_same_module, expect_object, task


def batch(rng, B, C):
    return torch.tensor(rng.normal(2.0, 3.0, (B, C)), dtype=torch.float64)


def two(student, reference, rng, C):
    """A module of the student's, and one of the reference's with all its numbers drawn at random."""
    right = reference.BatchNorm(C).double()
    right.load_state_dict({name: torch.tensor(rng.uniform(0.5, 2.0, C)) for name in right.state_dict()})
    return expect_object(student.BatchNorm(C), "BatchNorm").double(), right


@task("norm", weight=2)
@pytest.mark.parametrize(("B", "C"), [(8, 3), (5, 1), (3, 6)])
def test_training(student, reference, rng, B, C):
    """Output, gradients and running statistics of a step in training."""
    mine, right = two(student, reference, rng, C)
    assert_same_module(student, mine, right, batch(rng, B, C), upstream=batch(rng, B, C))


@task("norm", weight=2)
@pytest.mark.parametrize(("B", "C"), [(4, 3), (1, 2)])
def test_evaluation(student, reference, rng, B, C):
    """Output and gradients in evaluation; the running statistics stay."""
    mine, right = two(student, reference, rng, C)
    right.eval()
    assert_same_module(student, mine, right, batch(rng, B, C), upstream=batch(rng, B, C))


@task("norm")
def test_at_first(student, reference):
    """Parameters and buffers of a new module."""
    state = expect_object(student.BatchNorm(3), "BatchNorm").state_dict()
    for name, value in reference.BatchNorm(3).state_dict().items():
        assert_exact(state.get(name), value, what=name)


@task("norm")
def test_after_some_steps(student, reference, rng):
    """Some steps in training, then one in evaluation, on its own statistics."""
    mine, right = expect_object(student.BatchNorm(3), "BatchNorm").double(), reference.BatchNorm(3).double()
    for _ in range(4):
        x = batch(rng, 6, 3)
        mine(x), right(x)
    mine.eval(), right.eval()
    for name, value in right.named_buffers():
        assert_close(mine.state_dict().get(name), value, what=name)
    x = batch(rng, 6, 3)
    out, _, _ = student.module_gradients(mine, x)
    assert_close(out, right(x).detach(), what="what it returns")
'''

_FORWARD = """
    def forward(self, x):
        if self.training:
            mean, var = x.mean(dim=0), x.var(dim=0, unbiased=False)
            with torch.no_grad():
                self.running_mean.mul_(0.9).add_(0.1 * mean)
                self.running_var.mul_(0.9).add_(0.1 * var)
        else:
            mean, var = self.running_mean, self.running_var
        return self.gamma * (x - mean) / torch.sqrt(var + 1e-5) + self.beta
"""


def _wrong(title: str, hint: str, old: str, new: str) -> str:
    assert old in _FORWARD
    head = f'"""{title}"""\n\nimport torch\n\nhint = "{hint}"\nloses = ["norm"]\n\n\nclass BatchNorm(BatchNorm):'
    return head + _FORWARD.replace(old, new)


EQUIVALENT = """\
"BatchNorm.__init__: self.gamma = nn.Parameter(torch.ones(channels)) → self.gamma = nn.Parameter(torch.ones(channels).detach())" = "no graph yet"
"BatchNorm.__init__: self.beta = nn.Parameter(torch.zeros(channels)) → self.beta = nn.Parameter(torch.zeros(channels).detach())" = "no graph yet"
"BatchNorm.__init__: …torch.zeros(channels)) → …torch.zeros(channels).detach())" = "no graph yet"
"BatchNorm.__init__: …torch.ones(channels)) → …torch.ones(channels).detach())" = "no graph yet"
"BatchNorm.forward: with torch.no_grad():; self.running_mea…0.9).add_(0.1 * var) → self.running_mean.mul_(0.9).add_(0.1 * …0.9).add_(0.1 * var)" = "costs memory alone"
"BatchNorm: adds up the first of three axes of its result" = "it is given rows, which have two axes"
"""  # noqa: E501


FILES = {
    "equivalent.toml": EQUIVALENT,
    "exercise.toml": TOML,
    "notebook.py": NOTEBOOK,
    "test_public.py": PUBLIC,
    "test_hidden.py": HIDDEN,
    "wrong/always_the_batch.py": _wrong(
        "The batch's own statistics in evaluation, too.", "Give it a batch of one.", "if self.training", "if True"
    ),
    "wrong/momentum_turned_round.py": _wrong(
        "The running statistics take nine tenths of the new batch.",
        "After many steps, how many batches can be heard in yours?",
        "mul_(0.9).add_(0.1 * mean)",
        "mul_(0.1).add_(0.9 * mean)",
    ),
    "wrong/sample_variance.py": _wrong(
        "The variance is divided by B - 1.", "Give it two rows.", "x.var(dim=0, unbiased=False)", "x.var(dim=0)"
    ),
    "right/functional.py": '''"""PyTorch's own, with the one variance that it keeps otherwise."""

import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.gamma = nn.Parameter(torch.ones(channels))
        self.beta = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        if not self.training:
            statistics = self.running_mean, self.running_var
            return nn.functional.batch_norm(x, *statistics, self.gamma, self.beta)
        with torch.no_grad():
            self.running_mean += 0.1 * (x.mean(0) - self.running_mean)
            self.running_var += 0.1 * (((x - x.mean(0)) ** 2).mean(0) - self.running_var)
        return nn.functional.batch_norm(x, None, None, self.gamma, self.beta, training=True)
''',
}
