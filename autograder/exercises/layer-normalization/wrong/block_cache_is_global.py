"""The block's cache is parked in a global variable."""

import numpy as np

hint = "What does the backward pass of the first layer find after the second layer has run forward?"
loses = ["prenorm_block", "stack_norms", "drift_table"]

last = {}


def prenorm_forward(x, W, gain, bias):
    h, last["cache"] = layernorm_forward(x, gain, bias)
    last["a"], last["W"] = np.tanh(h @ W), W
    return x + last["a"], None


def prenorm_backward(dout, cache):
    dx, dgain, dbias = layernorm_backward((dout * (1 - last["a"] ** 2)) @ last["W"].T, last["cache"])
    return dout + dx, dgain, dbias
