"""The bias of the second layer is left out."""

import torch

hint = "Count the arguments that your code uses. All five have work to do."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + torch.relu(x @ w1 + b1) @ w2
