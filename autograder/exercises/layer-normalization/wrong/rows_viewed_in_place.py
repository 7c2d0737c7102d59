"""The upstream gradient is multiplied in place where it can be."""

import numpy as np

hint = "Look at dout after the call. And what if it is all ones of which NumPy keeps a single one?"
loses = ["backward"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dgain, dbias = (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
    d = np.multiply(dout, gain, out=dout)
    through_s = normalized * (d * normalized).mean(axis=-1, keepdims=True)
    return (d - d.mean(axis=-1, keepdims=True) - through_s) / s, dgain, dbias
