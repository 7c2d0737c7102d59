"""x is added to z before tanh instead of to the sublayer's result."""

import numpy as np

hint = "With all weights zero, out should be x exactly."
loses = ["residual_pair", "exercise_2"]


def residual_forward(x, W):
    z = x + x @ W
    return np.tanh(z), (z, W)


def residual_backward(dout, cache):
    z, W = cache
    dz = dout * (1 - np.tanh(z) ** 2)
    return dz + dz @ W.T
