"""The norm of each row, averaged, instead of one norm over all entries."""

import torch

hint = "There is one norm over all entries of x, whatever its shape."
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return torch.autograd.grad(h.sum(), start)[0].norm(dim=-1).mean().item()
