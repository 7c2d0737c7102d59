"""The gradient of the gain uses x as it came in instead of the normalized x."""

import numpy as np

hint = "What does the gain multiply in the forward pass?"
loses = ["backward", "prenorm_block"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    return gain * centered / s + bias, (x, centered / s, s, gain)


def layernorm_backward(dout, cache):
    x, normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    dx = dn - dn.mean(axis=-1, keepdims=True) - normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    return dx / s, (dout * x).sum(axis=rows), dout.sum(axis=rows)
