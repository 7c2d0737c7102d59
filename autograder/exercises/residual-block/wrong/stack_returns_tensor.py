"""The norm is returned as a tensor, not as a Python float."""

import torch

hint = "Print the type of what you return."
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return torch.autograd.grad(h.sum(), start)[0].norm()
