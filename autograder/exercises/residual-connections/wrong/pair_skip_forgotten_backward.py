"""The backward pass returns the branch's gradient alone."""

import numpy as np

hint = "The block has two roads forward. On how many does your gradient come back?"
loses = ["residual_pair", "exercise_2"]


def residual_backward(dout, cache):
    z, W = cache
    return (dout * (1 - np.tanh(z) ** 2)) @ W.T
