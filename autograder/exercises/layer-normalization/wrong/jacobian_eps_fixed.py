"""eps is always the default one."""

import numpy as np

hint = "Call your function with eps = 1. Does anything change?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    s = np.sqrt(x.var() + 1e-5)
    n = (x - x.mean()) / s
    return gain[:, None] * (np.eye(C) - 1 / C - np.outer(n, n) / C) / s
