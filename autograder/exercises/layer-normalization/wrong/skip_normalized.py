"""The normalized x goes along the skip path too."""

import numpy as np

hint = "With weights that are all zero, does x come back exactly?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_forward(x, W, gain, bias):
    h, cache = layernorm_forward(x, gain, bias)
    a = np.tanh(h @ W)
    return h + a, (cache, a, W)


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dh = (dout * (1 - a**2)) @ W.T
    return layernorm_backward(dout + dh, cache)
