"""The branch is detached: right numbers, and weights that never learn."""

import torch

hint = "The output is right. Now look which of the five inputs still receive a gradient."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    h = torch.relu(x @ w1 + b1)
    return x + (h @ w2 + b2).detach()
