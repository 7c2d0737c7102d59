"""The skip path's gradient is written as 1, right only for an upstream gradient of all ones."""

import numpy as np

hint = "Try an upstream gradient other than all ones."
loses = ["residual_pair", "exercise_2"]


def residual_backward(dout, cache):
    z, W = cache
    return 1.0 + (dout * (1 - np.tanh(z) ** 2)) @ W.T
