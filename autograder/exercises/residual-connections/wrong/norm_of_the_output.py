"""The norm of the activations at the top is returned, not that of the gradient at the bottom."""

import numpy as np

hint = "What is measured here travels downwards."
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


def run_stack(N, residual, Ws):
    x = np.random.RandomState(0).randn(4, 16)
    for W in Ws[:N]:
        a, _ = sublayer_forward(x, W)
        x = x + a if residual else a
    return float(np.linalg.norm(x))
