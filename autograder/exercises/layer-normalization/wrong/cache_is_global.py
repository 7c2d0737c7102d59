"""What the backward pass needs is parked in a global variable."""

import numpy as np

hint = "What does the backward pass of the first layer find after the second layer has run forward?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]

last = {}


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    last.update(normalized=centered / s, s=s, gain=gain)
    return gain * last["normalized"] + bias, None


def layernorm_backward(dout, cache):
    normalized, s, gain = last["normalized"], last["s"], last["gain"]
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    dx = dn - dn.mean(axis=-1, keepdims=True) - normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    return dx / s, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
