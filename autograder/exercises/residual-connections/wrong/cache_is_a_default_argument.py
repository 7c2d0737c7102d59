"""The cache is a default argument, the same dict in all calls."""

import numpy as np

hint = "When is the default value of an argument made: in every call, or once?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_forward(x, W, cache={}):  # noqa: B006
    cache["z"] = x @ W
    return np.tanh(cache["z"]), cache


def sublayer_backward(dout, cache, W):
    return (dout * (1 - np.tanh(cache["z"]) ** 2)) @ W.T
