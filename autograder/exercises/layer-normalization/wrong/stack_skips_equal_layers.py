"""A matrix that stands in the list several times makes one layer only."""

import numpy as np

hint = "May two layers of a stack use the very same matrix?"
loses = ["stack_norms"]


def stack_norms(x, Ws, prenorm):
    gain, bias = np.ones(x.shape[-1]), np.zeros(x.shape[-1])
    caches = []
    for W in {id(W): W for W in Ws}.values():
        x, cache = prenorm_forward(x, W, gain, bias) if prenorm else residual_forward(x, W)
        caches.append(cache)
    dx = np.ones_like(x)
    for cache in reversed(caches):
        dx = prenorm_backward(dx, cache)[0] if prenorm else residual_backward(dx, cache)
    return float(np.sqrt(np.sum(x**2))), float(np.sqrt(np.sum(dx**2)))
