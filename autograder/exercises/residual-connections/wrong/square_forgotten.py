"""The derivative of tanh is taken for 1 - tanh(z), without the square."""

import numpy as np

hint = "The slope of tanh is the same at z and at -z. Is yours?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_backward(dout, cache, W):
    return (dout * (1 - np.tanh(cache))) @ W.T
