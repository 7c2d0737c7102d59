"""The first branch is given dout instead of the gradient at h."""

import numpy as np

hint = "What reaches h on its way down, and on how many roads?"
loses = ["exercise_2"]


def two_residual_forward(x, W_f, W_g):
    z_f = x @ W_f
    h = x + np.tanh(z_f)
    z_g = h @ W_g
    return h + np.tanh(z_g), (z_f, W_f, z_g, W_g)


def two_residual_backward(dout, cache):
    z_f, W_f, z_g, W_g = cache
    dg = (dout * (1 - np.tanh(z_g) ** 2)) @ W_g.T
    df = (dout * (1 - np.tanh(z_f) ** 2)) @ W_f.T
    return dout + dg + df
