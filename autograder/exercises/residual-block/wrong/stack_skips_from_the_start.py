"""Every block adds the stack's input instead of its own."""

import torch

hint = "What does the skip of block two carry: x, or what block one handed on?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = start + branch if residual else branch
    return torch.autograd.grad(h.sum(), start)[0].norm().item()
