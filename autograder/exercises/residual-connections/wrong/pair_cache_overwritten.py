"""out += x is done in place on the array that the cache holds as tanh(z)."""

import numpy as np

hint = "Does your cache still hold after the forward pass what you put in?"
loses = ["residual_pair", "exercise_2"]


def residual_forward(x, W):
    out = np.tanh(x @ W)
    cache = (out, W)
    out += x
    return out, cache


def residual_backward(dout, cache):
    a, W = cache
    return dout + (dout * (1 - a**2)) @ W.T
