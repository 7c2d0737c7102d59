"""x -= mean changes the caller's array."""

import numpy as np

hint = "Look at x before and after the call."
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    x -= x.mean()
    s = np.sqrt((x**2).mean() + eps)
    n = x / s
    return gain[:, None] * (np.eye(C) - 1 / C - np.outer(n, n) / C) / s
