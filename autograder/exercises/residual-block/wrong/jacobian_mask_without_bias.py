"""Which units are awake is decided before the bias is added."""

import torch

hint = "The ReLU sees the pre-activation with its bias. Which one does your mask see?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    awake = (x @ w1 > 0).to(x.dtype)
    return torch.eye(x.shape[0], dtype=x.dtype), ((w1 * awake) @ w2).T
