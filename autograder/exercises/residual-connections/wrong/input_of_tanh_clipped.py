"""The input of tanh is clipped to [-5, 5]."""

import numpy as np

hint = "tanh needs no protection from large numbers. What does yours return at 6?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_forward(x, W):
    z = np.clip(x @ W, -5, 5)
    return np.tanh(z), z
