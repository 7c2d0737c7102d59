"""A block that stands in the stack several times is run once."""

import torch

hint = "May two blocks of a stack have the same parameters?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = x.detach().clone().requires_grad_()
    h = start
    for w1, b1, w2, b2 in {id(block[0]): block for block in params}.values():
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient.norm().item()
