"""Axes of length one are squeezed out of the branch's Jacobian."""

import torch

hint = "What shape has the Jacobian of a vector of one entry?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    awake = (x @ w1 + b1 > 0).to(x.dtype)
    return torch.eye(x.shape[0], dtype=x.dtype), ((w1 * awake) @ w2).T.squeeze()
