"""The ReLU acts on x, before the first layer instead of after it."""

import torch

hint = "Print the shape of the tensor that your ReLU receives: whose shape should it be?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + (torch.relu(x) @ w1 + b1) @ w2 + b2
