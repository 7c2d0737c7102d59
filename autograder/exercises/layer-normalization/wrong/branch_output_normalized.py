"""The branch is normalized behind tanh instead of in front of the matrix."""

import numpy as np

hint = "What is normalized: what the branch reads or what it says?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_forward(x, W, gain, bias):
    a = np.tanh(x @ W)
    h, cache = layernorm_forward(a, gain, bias)
    return x + h, (cache, a, W)


def prenorm_backward(dout, cache):
    cache, a, W = cache
    da, dgain, dbias = layernorm_backward(dout, cache)
    return dout + (da * (1 - a**2)) @ W.T, dgain, dbias
