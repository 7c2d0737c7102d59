"""The first block's parameters are used for all blocks."""

import torch

hint = "Each block has its own tuple in params. Which one does block two use?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    w1, b1, w2, b2 = params[0] if params else (None,) * 4
    for _ in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return torch.autograd.grad(h.sum(), start)[0].norm().item()
