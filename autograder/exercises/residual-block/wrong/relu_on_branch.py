"""The branch ends in a second ReLU, so it can only ever add."""

import torch

hint = "Can your branch make an entry of x smaller? It should be able to."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2)
