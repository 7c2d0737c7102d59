"""The derivative of the mean is left out."""

import numpy as np

hint = "Multiply your Jacobian by a vector of ones. What should come out, and why?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    s = np.sqrt(x.var() + eps)
    n = (x - x.mean()) / s
    return gain[:, None] * (np.eye(C) - np.outer(n, n) / C) / s
