"""The upstream gradient is counted twice on its way past the branch."""

import numpy as np

hint = "With all weights zero, dx should be dout exactly."
loses = ["residual_pair", "exercise_2"]


def residual_backward(dout, cache):
    z, W = cache
    return dout + (dout + dout * (1 - np.tanh(z) ** 2)) @ W.T
