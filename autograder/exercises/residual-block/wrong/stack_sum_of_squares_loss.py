"""The loss is the sum of the squares of the output."""

import torch

hint = "The upstream gradient should be all ones. What is the derivative of your loss?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return torch.autograd.grad((h**2).sum(), start)[0].norm().item()
