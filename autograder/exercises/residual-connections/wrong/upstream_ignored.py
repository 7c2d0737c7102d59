"""The upstream gradient is left out, as if it were always all ones."""

import numpy as np

hint = "What happens to your dx if the loss is multiplied by ten?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_backward(dout, cache, W):
    return (1 - np.tanh(cache) ** 2) @ W.T
