"""The root is left out of the two norms."""

import numpy as np

hint = "What is the norm of all ones of shape (4, 16)? Compare with yours."
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
    return float(np.sum(x**2)), float(np.sum(dx**2))
