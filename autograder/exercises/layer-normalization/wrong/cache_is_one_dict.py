"""All forward passes fill one dict and return it."""

import numpy as np

hint = "Your second forward pass returns a cache. Is it another one than that of the first?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


_cache = {}


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    _cache.update(n=centered / s, s=s, gain=gain)
    return gain * _cache["n"] + bias, _cache


def layernorm_backward(dout, cache):
    normalized, s, gain = cache["n"], cache["s"], cache["gain"]
    rows = tuple(range(dout.ndim - 1))
    dgain, dbias = (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
    d = dout * gain
    through_s = normalized * (d * normalized).mean(axis=-1, keepdims=True)
    return (d - d.mean(axis=-1, keepdims=True) - through_s) / s, dgain, dbias
