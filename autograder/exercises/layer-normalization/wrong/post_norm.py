"""The sum is normalized instead of what the branch reads."""

import numpy as np

hint = "Which arrow in the picture passes the layer normalization?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_forward(x, W, gain, bias):
    a = np.tanh(x @ W)
    out, cache = layernorm_forward(x + a, gain, bias)
    return out, (cache, a, W)


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dsum, dgain, dbias = layernorm_backward(dout, cache)
    return dsum + (dsum * (1 - a**2)) @ W.T, dgain, dbias
