"""The activations are cast down to float32, as deep-learning code often does."""

import numpy as np

hint = "Half of the digits are gone. Which dtype does this notebook compute in?"
loses = ["residual_pair", "exercise_2"]


def residual_forward(x, W):
    x = x.astype(np.float32)
    W = W.astype(np.float32)
    z = x @ W
    return x + np.tanh(z), (z, W)


def residual_backward(dout, cache):
    z, W = cache
    return dout + (dout * (1 - np.tanh(z) ** 2)) @ W.T
