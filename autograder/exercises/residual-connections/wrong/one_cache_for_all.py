"""The cache is a global variable, which the next forward pass overwrites."""

import numpy as np

hint = "When a stack comes to its first backward pass, which forward pass does your cache remember?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


_last = {}


def sublayer_forward(x, W):
    _last["z"] = x @ W
    return np.tanh(_last["z"]), None


def sublayer_backward(dout, cache, W):
    return (dout * (1 - np.tanh(_last["z"]) ** 2)) @ W.T
