"""The gradient of the mean of the output, not of its sum."""

import torch

hint = "With no block at all, what is the gradient of your loss at each entry of x?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return torch.autograd.grad(h.mean(), start)[0].norm().item()
