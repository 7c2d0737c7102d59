"""view(-1, d) instead of leaving the batch axes alone: a transposed x raises an error."""

import torch

hint = "What does a tensor need for view(), and does a transposed one have it?"
loses = ["stack_gradient"]


def stack_input_gradient(x, params, residual):
    start = x.view(-1, x.shape[-1]).detach().clone().requires_grad_()
    h = start
    for w1, b1, w2, b2 in params:
        branch = torch.relu(h @ w1 + b1) @ w2 + b2
        h = h + branch if residual else branch
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient.norm().item()
