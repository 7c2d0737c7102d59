"""Axes of length one are squeezed out of the result."""

import numpy as np

hint = "What shape does a batch of one sentence have before your function, and after?"
loses = ["sublayer", "residual_pair", "exercise_2"]


def sublayer_forward(x, W):
    z = x @ W
    return np.tanh(z).squeeze(), z
