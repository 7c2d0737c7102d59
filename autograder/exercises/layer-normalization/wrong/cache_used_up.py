"""The backward pass takes what it needs out of the cache, so it works only once."""

import numpy as np

hint = "Call your backward pass twice with the same cache."
loses = ["backward", "prenorm_block"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    return gain * centered / s + bias, [gain, s, centered / s]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache.pop(), cache.pop(), cache.pop()
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    dx = dn - dn.mean(axis=-1, keepdims=True) - normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    return dx / s, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
