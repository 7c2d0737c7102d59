"""The skip path is detached, so no gradient travels along it."""

import torch

hint = "Silence the branch and print x.grad: something on the skip path stops the gradient."
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    return x.detach() + torch.relu(x @ w1 + b1) @ w2 + b2
