"""Norms are remembered by the identity of x and the list of parameters."""

import torch

hint = "An optimizer writes into the parameters that you have seen before. What does your function return then?"
loses = ["stack_gradient"]


_known = {}


def stack_input_gradient(x, params, residual):
    key = id(x), id(params), residual
    if key not in _known:
        start = x.detach().clone().requires_grad_()
        h = start
        for w1, b1, w2, b2 in params:
            branch = torch.relu(h @ w1 + b1) @ w2 + b2
            h = h + branch if residual else branch
        (gradient,) = torch.autograd.grad(h.sum(), start)
        _known[key] = x, params, gradient.norm().item()
    return _known[key][-1]
