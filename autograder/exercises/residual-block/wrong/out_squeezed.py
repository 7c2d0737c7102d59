"""Axes of length one are squeezed out of the output."""

import torch

hint = "What shape does a batch of one have before the block, and after?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return (x + torch.relu(x @ w1 + b1) @ w2 + b2).squeeze()
