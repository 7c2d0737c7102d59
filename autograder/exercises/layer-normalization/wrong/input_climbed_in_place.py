"""x += ... carries the caller's input up the stack."""

import numpy as np

hint = "Look at x before and after the call."
loses = ["stack_norms", "drift_table"]


def stack_norms(x, Ws, prenorm):
    gain, bias = np.ones(x.shape[-1]), np.zeros(x.shape[-1])
    caches = []
    for W in Ws:
        out, cache = prenorm_forward(x, W, gain, bias) if prenorm else residual_forward(x, W)
        x += out - x
        caches.append(cache)
    dx = np.ones_like(x)
    for cache in reversed(caches):
        dx = prenorm_backward(dx, cache)[0] if prenorm else residual_backward(dx, cache)
    return float(np.sqrt(np.sum(x**2))), float(np.sqrt(np.sum(dx**2)))
