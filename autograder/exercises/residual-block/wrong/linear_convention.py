"""The weights are transposed, as nn.Linear stores them."""

import torch

hint = "Check the shapes in the docstring: w1 is (d_model, d_ff), so which product fits?"
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    return x + torch.relu(x @ w1.T + b1) @ w2.T + b2
