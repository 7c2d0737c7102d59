"""The last bias is added in the branch and once more to the output."""

import torch

hint = "Set x, w1 and w2 to zero: out should then be b2. What is yours?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    branch = torch.relu(x @ w1 + b1) @ w2 + b2
    return x + branch + b2
