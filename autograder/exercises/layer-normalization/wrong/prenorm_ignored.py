"""Both stacks are plain residual stacks."""

import numpy as np

hint = "Compare your two stacks. Should they give the same numbers?"
loses = ["stack_norms", "drift_table"]


def stack_norms(x, Ws, prenorm):
    caches = []
    for W in Ws:
        x, cache = residual_forward(x, W)
        caches.append(cache)
    dx = np.ones_like(x)
    for cache in reversed(caches):
        dx = residual_backward(dx, cache)
    return float(np.sqrt(np.sum(x**2))), float(np.sqrt(np.sum(dx**2)))
