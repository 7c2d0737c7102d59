"""The outer product is of the centered row and not of the normalized one."""

import numpy as np

hint = "In the derivative of s, is it the centered or the normalized entry?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    s = np.sqrt(x.var() + eps)
    c = x - x.mean()
    return gain[:, None] * (np.eye(C) - 1 / C - np.outer(c, c) / C) / s
