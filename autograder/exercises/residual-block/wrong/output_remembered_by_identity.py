"""Outputs are remembered by the identity of the inputs."""

import torch

hint = "An optimizer writes into the weights that you have seen before. What does your block return then?"
loses = ["residual_block"]


_known = {}


def residual_block(*inputs):
    key = tuple(map(id, inputs))
    if key not in _known:
        x, w1, b1, w2, b2 = inputs
        _known[key] = inputs, x + torch.relu(x @ w1 + b1) @ w2 + b2
    return _known[key][1]
