"""Jacobians are remembered by the identity of the row."""

import numpy as np

hint = "The row may hold other numbers the next time. What do you look at?"
loses = ["jacobian"]


_known = {}


def layernorm_jacobian(x, gain, eps=1e-5):
    if id(x) in _known:
        return _known[id(x)][1]
    centered = x - x.mean()
    s = np.sqrt((centered**2).mean() + eps)
    n = centered / s
    J = gain[:, None] * (np.eye(len(x)) - 1 / len(x) - np.outer(n, n) / len(x)) / s
    _known[id(x)] = x, J
    return J
