"""x is made to require a gradient and stays so."""

import torch

hint = "Look at x.requires_grad before and after the call."
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = x.requires_grad_()
    h = start
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient.norm().item()
