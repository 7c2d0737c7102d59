"""The ReLU is left out of the derivative, as if every hidden unit were awake."""

import torch

hint = "What does a hidden unit below zero do when x moves a little?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    return torch.eye(x.shape[0], dtype=x.dtype), (w1 @ w2).T
