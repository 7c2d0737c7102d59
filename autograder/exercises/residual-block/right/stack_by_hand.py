"""Forward with a cache, then backward by hand, without autograd."""

import math

import torch


def stack_input_gradient(x, params, residual):
    masks, h = [], x
    for w1, b1, w2, b2 in params:
        z = h @ w1 + b1
        masks.append(z > 0)
        branch = torch.relu(z) @ w2 + b2
        h = h + branch if residual else branch
    g = torch.ones_like(h)
    for (w1, _, w2, _), mask in zip(reversed(params), reversed(masks), strict=True):
        through = ((g @ w2.T) * mask) @ w1.T
        g = g + through if residual else through
    return math.sqrt((g * g).sum().item())
