"""The transposed matrix is applied from the left, which fits (B, C) but not (B, T, C)."""

import numpy as np

hint = "Try an input with a time axis."
loses = ["residual_pair", "exercise_2"]


def residual_backward(dout, cache):
    z, W = cache
    return dout + (W @ (dout * (1 - np.tanh(z) ** 2)).T).T
