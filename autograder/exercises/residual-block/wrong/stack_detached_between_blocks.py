"""Every block starts from a detached copy, so only the last block is differentiated."""

import torch

hint = "The gradient has to walk through all blocks. Where does its way end?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = h = x.clone().requires_grad_()
    for w1, b1, w2, b2 in params:
        start = h = h.detach().requires_grad_()
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    return torch.autograd.grad(h.sum(), start)[0].norm().item()
