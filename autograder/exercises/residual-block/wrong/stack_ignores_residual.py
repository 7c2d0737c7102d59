"""The argument residual is not used: every stack has the skip."""

import torch

hint = "Do your two curves differ at all?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        h = h + torch.relu(h @ w1 + b1) @ w2 + b2
    return torch.autograd.grad(h.sum(), start)[0].norm().item()
