"""The norm of the output instead of the norm of a gradient."""

import torch

hint = "Which quantity is the norm of: what goes forward, or what comes back?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    h = x
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return h.norm().item()
