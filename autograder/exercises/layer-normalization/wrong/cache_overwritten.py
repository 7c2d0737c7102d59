"""The output is made in place on the array that the cache holds as the normalized row."""

import numpy as np

hint = "Does your cache still hold after the forward pass what you put in?"
loses = ["backward", "prenorm_block"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    out = centered / s
    cache = (out, s, gain)
    out *= gain
    out += bias
    return out, cache
