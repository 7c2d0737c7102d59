"""The second skip path starts at x instead of h: out = x + g(h)."""

import numpy as np

hint = "Between which two points does the second skip path run?"
loses = ["exercise_2"]


def two_residual_forward(x, W_f, W_g):
    z_f = x @ W_f
    h = x + np.tanh(z_f)
    z_g = h @ W_g
    return x + np.tanh(z_g), (z_f, W_f, z_g, W_g)


def two_residual_backward(dout, cache):
    z_f, W_f, z_g, W_g = cache
    dh = (dout * (1 - np.tanh(z_g) ** 2)) @ W_g.T
    df = (dh * (1 - np.tanh(z_f) ** 2)) @ W_f.T
    return dout + dh + df
