"""The branch is computed under torch.no_grad()."""

import torch

hint = "The output is right. Now look which of the five inputs still receive a gradient."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    with torch.no_grad():
        branch = torch.relu(x @ w1 + b1) @ w2 + b2
    return x + branch
