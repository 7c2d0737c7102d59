"""Rows and columns are exchanged, so the gain multiplies the columns."""

import numpy as np

hint = "Row j belongs to output j. Which gain does output j have?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    s = np.sqrt(x.var() + eps)
    n = (x - x.mean()) / s
    return (np.eye(C) - 1 / C - np.outer(n, n) / C) / s * gain
