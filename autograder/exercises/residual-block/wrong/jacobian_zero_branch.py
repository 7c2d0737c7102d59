"""The branch Jacobian is taken to be zero, as with silent weights."""

import torch

hint = "The second piece vanishes for w2 = 0 only."
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    return torch.eye(x.shape[0], dtype=x.dtype), torch.zeros(len(x), len(x), dtype=x.dtype)
