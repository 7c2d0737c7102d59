"""NumPy's error handling is switched off for everybody."""

import numpy as np

hint = "Who will still be told of a division by zero after your function has run?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    np.seterr(all="ignore")
    centered = x - x.mean()
    s = np.sqrt((centered**2).mean() + eps)
    n = centered / s
    J = gain[:, None] * (np.eye(len(x)) - 1 / len(x) - np.outer(n, n) / len(x)) / s
    return J
