"""The blocks are taken off the caller's list."""

import torch

hint = "How long is params after the call?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = x.detach().clone().requires_grad_()
    h = start
    while params:
        w1, b1, w2, b2 = params.pop(0)
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient.norm().item()
