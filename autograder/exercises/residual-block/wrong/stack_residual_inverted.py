"""The two cases are mixed up: the skip is there when it should not be."""

import torch

hint = "Which of your two curves vanishes with depth?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = branch if residual else h + branch
    return torch.autograd.grad(h.sum(), start)[0].norm().item()
