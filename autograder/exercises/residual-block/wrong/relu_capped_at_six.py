"""The hidden layer is capped at 6."""

import torch

hint = "How large may an entry of the hidden layer become?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + torch.clamp(x @ w1 + b1, 0, 6) @ w2 + b2
