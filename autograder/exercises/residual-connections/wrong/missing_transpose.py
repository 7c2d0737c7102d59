"""The way back through the matrix uses W instead of its transpose."""

import numpy as np

hint = "x_i feeds z_j with weight W_ij. With which weight does z_j send its gradient back to x_i?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_backward(dout, cache, W):
    return (dout * (1 - np.tanh(cache) ** 2)) @ W
