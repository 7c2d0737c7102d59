"""x is added in the branch and once more at the end."""

import torch

hint = "With a silent branch, how many times does x arrive?"
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    branch = x + torch.relu(x @ w1 + b1) @ w2 + b2
    return x + branch
