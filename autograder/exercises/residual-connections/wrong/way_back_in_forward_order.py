"""The backward pass goes through the first sublayer first."""

import numpy as np

hint = "Which sublayer does the gradient meet first on its way down?"
loses = ["exercise_2"]


def two_residual_forward(x, W_f, W_g):
    z_f = x @ W_f
    h = x + np.tanh(z_f)
    z_g = h @ W_g
    return h + np.tanh(z_g), (z_f, W_f, z_g, W_g)


def two_residual_backward(dout, cache):
    z_f, W_f, z_g, W_g = cache
    dh = dout + (dout * (1 - np.tanh(z_f) ** 2)) @ W_f.T
    return dh + (dh * (1 - np.tanh(z_g) ** 2)) @ W_g.T
