"""The average norm of a row is returned instead of the norm of the whole array."""

import numpy as np

hint = "A norm is taken over all axes. What is it for all ones of shape (4, 16)?"
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
    return float(np.linalg.norm(x, axis=-1).mean()), float(np.linalg.norm(dx, axis=-1).mean())
