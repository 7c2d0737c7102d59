"""The sum of squares without the square root."""

import torch

hint = "For no block at all the norm is the square root of the number of entries. What is yours?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return torch.autograd.grad(h.sum(), start)[0].square().sum().item()
