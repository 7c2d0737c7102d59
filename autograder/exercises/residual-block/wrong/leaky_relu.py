"""A leaky ReLU: what should be silent still whispers."""

import torch

hint = "What does ReLU make of -3?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + torch.nn.functional.leaky_relu(x @ w1 + b1) @ w2 + b2
