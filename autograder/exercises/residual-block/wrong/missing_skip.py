"""The skip path is left out: the block returns the branch alone."""

import torch

hint = "With a silent branch your block returns zero. Which of the two paths is not there?"
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    return torch.relu(x @ w1 + b1) @ w2 + b2
