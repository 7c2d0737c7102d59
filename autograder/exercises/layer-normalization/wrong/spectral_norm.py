"""The largest singular value is returned instead of the root of the sum of squares."""

import numpy as np

hint = "What does np.linalg.norm compute when it is given a 2?"
loses = ["stack_norms", "drift_table"]


def stack_norms(x, Ws, prenorm):
    gain, bias = np.ones(x.shape[-1]), np.zeros(x.shape[-1])
    caches = []
    for W in Ws:
        x, cache = prenorm_forward(x, W, gain, bias) if prenorm else residual_forward(x, W)
        caches.append(cache)
    dx = np.ones_like(x)
    for cache in reversed(caches):
        dx = prenorm_backward(dx, cache)[0] if prenorm else residual_backward(dx, cache)
    return float(np.linalg.norm(x, 2)), float(np.linalg.norm(dx, 2))
