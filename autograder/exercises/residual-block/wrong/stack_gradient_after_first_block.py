"""The gradient is taken after the first block, one Jacobian too late."""

import torch

hint = "Count the blocks between the output and the tensor whose gradient you take."
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for n, (w1, b1, w2, b2) in enumerate(params):
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
        if n == 0:
            start = h
    return torch.autograd.grad(h.sum(), start)[0].norm().item()
