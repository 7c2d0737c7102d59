"""The first bias is added after the ReLU, not before."""

import torch

hint = "A hidden unit can be negative in your version. In which order do bias and ReLU come?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    h = torch.relu(x @ w1) + b1
    return x + h @ w2 + b2
