"""Skip and branch are averaged, so half of x is lost at every block."""

import torch

hint = "With a silent branch, how much of x is left?"
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    return 0.5 * (x + torch.relu(x @ w1 + b1) @ w2 + b2)
