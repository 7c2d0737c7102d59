"""The cache holds tanh(z), and the backward pass takes tanh of it once more."""

import numpy as np

hint = "Write down what exactly is in your cache, and what the formula wants there."
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_forward(x, W):
    a = np.tanh(x @ W)
    return a, a


def sublayer_backward(dout, cache, W):
    return (dout * (1 - np.tanh(cache) ** 2)) @ W.T
