"""The top of the pre-norm stack is normalized once more."""

import numpy as np

hint = "The text mentions one more normalization at the top of real networks. Is it part of the task?"
loses = ["stack_norms", "drift_table"]


def stack_norms(x, Ws, prenorm):
    gain, bias = np.ones(x.shape[-1]), np.zeros(x.shape[-1])
    caches = []
    for W in Ws:
        x, cache = prenorm_forward(x, W, gain, bias) if prenorm else residual_forward(x, W)
        caches.append(cache)
    if prenorm:
        x, _ = layernorm_forward(x, gain, bias)
    dx = np.ones_like(x)
    for cache in reversed(caches):
        dx = prenorm_backward(dx, cache)[0] if prenorm else residual_backward(dx, cache)
    return float(np.sqrt(np.sum(x**2))), float(np.sqrt(np.sum(dx**2)))
