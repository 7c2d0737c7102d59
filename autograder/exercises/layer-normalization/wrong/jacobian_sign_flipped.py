"""The term of the root is added instead of subtracted."""

import numpy as np

hint = "The quotient rule has a minus sign in it. Where is yours?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    s = np.sqrt(x.var() + eps)
    n = (x - x.mean()) / s
    return gain[:, None] * (np.eye(C) - 1 / C + np.outer(n, n) / C) / s
