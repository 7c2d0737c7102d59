"""The normalization stands between the matrix and tanh."""

import numpy as np

hint = "Read the picture from left to right: what comes first in the branch?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_forward(x, W, gain, bias):
    h, cache = layernorm_forward(x @ W, gain, bias)
    a = np.tanh(h)
    return x + a, (cache, a, W)


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dz, dgain, dbias = layernorm_backward(dout * (1 - a**2), cache)
    return dout + dz @ W.T, dgain, dbias
