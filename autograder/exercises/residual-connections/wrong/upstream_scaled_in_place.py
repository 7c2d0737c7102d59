"""The backward pass works in place with *= and changes the caller's upstream gradient."""

import numpy as np

hint = "Somebody else may still need dout, the skip path for example."
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_backward(dout, cache, W):
    dout *= 1 - np.tanh(cache) ** 2
    return dout @ W.T
