"""The upstream gradient is multiplied in after the matrix instead of before it."""

import numpy as np

hint = "dout belongs to the output of tanh. Through which step does it have to go first?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_backward(dout, cache, W):
    return dout * ((1 - np.tanh(cache) ** 2) @ W.T)
