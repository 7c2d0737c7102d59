"""Gradients are switched off for all code that runs later."""

import torch

hint = "What does torch.is_grad_enabled() say after the call?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    torch.set_grad_enabled(False)
    awake = (x @ w1 + b1 > 0).to(x.dtype)
    return torch.eye(x.shape[0], dtype=x.dtype), ((w1 * awake) @ w2).T
