"""backward() on the caller's x: its .grad adds up from call to call."""

import torch

hint = "Call it twice with the same x. What does backward() do to a .grad that is already there?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    h = x.requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    h.sum().backward()
    return x.grad.norm().item()
