"""GELU in place of the ReLU: nearly the same curve."""

import torch

hint = "Compare your hidden layer with zero: a ReLU never goes below it."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + torch.nn.functional.gelu(x @ w1 + b1) @ w2 + b2
