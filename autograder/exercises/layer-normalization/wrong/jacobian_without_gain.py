"""The gain is left out."""

import numpy as np

hint = "Double the gain. What should happen to the derivative of the output?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    s = np.sqrt(x.var() + eps)
    n = (x - x.mean()) / s
    return (np.eye(C) - 1 / C - np.outer(n, n) / C) / s
