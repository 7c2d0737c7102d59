"""The gradient of the sum of the branch: the rows are added up into one vector."""

import torch

hint = "A Jacobian has one row for each output. What does sum() do to them?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    leaf = x.clone().requires_grad_()
    (torch.relu(leaf @ w1 + b1) @ w2 + b2).sum().backward()
    return torch.eye(x.shape[0], dtype=x.dtype), leaf.grad
