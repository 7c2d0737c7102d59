"""The skip path is x.data, which autograd does not see."""

import torch

hint = "Silence the branch and print x.grad: something on the skip path stops the gradient."
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    return torch.relu(x @ w1 + b1) @ w2 + b2 + x.data
