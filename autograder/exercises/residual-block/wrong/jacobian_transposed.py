"""The branch Jacobian has inputs as rows and outputs as columns."""

import torch

hint = "Row j belongs to output j. Check one entry off the diagonal by hand."
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    awake = (x @ w1 + b1 > 0).to(x.dtype)
    return torch.eye(x.shape[0], dtype=x.dtype), (w1 * awake) @ w2
