"""The second branch reads x, so that the two sublayers sit side by side."""

import numpy as np

hint = "What has already happened to x when the second sublayer sees it?"
loses = ["exercise_2"]


def two_residual_forward(x, W_f, W_g):
    z_f, z_g = x @ W_f, x @ W_g
    return x + np.tanh(z_f) + np.tanh(z_g), (z_f, W_f, z_g, W_g)


def two_residual_backward(dout, cache):
    z_f, W_f, z_g, W_g = cache
    df = (dout * (1 - np.tanh(z_f) ** 2)) @ W_f.T
    dg = (dout * (1 - np.tanh(z_g) ** 2)) @ W_g.T
    return dout + df + dg
