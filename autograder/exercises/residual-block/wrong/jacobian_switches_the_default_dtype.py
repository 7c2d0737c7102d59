"""The default dtype is changed for all code that runs later."""

import torch

hint = "Which dtype has torch.zeros(1) after the call?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    torch.set_default_dtype(x.dtype)
    awake = (x @ w1 + b1 > 0).to(x.dtype)
    return torch.eye(x.shape[0], dtype=x.dtype), ((w1 * awake) @ w2).T
