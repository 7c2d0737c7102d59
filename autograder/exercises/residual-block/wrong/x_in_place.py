"""x += branch writes into the caller's tensor."""

import torch

hint = "Look at x after the call. The += operator of a tensor does not make a new one."
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    x += torch.relu(x @ w1 + b1) @ w2 + b2
    return x
