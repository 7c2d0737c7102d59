"""Gain and bias are handed to the normalization in the wrong order."""

import numpy as np

hint = "Check the order of the arguments in each of your calls."
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_forward(x, W, gain, bias):
    h, cache = layernorm_forward(x, bias, gain)
    a = np.tanh(h @ W)
    return x + a, (cache, a, W)
