"""Every layer uses the first matrix of the bank."""

import numpy as np

hint = "How many different matrices should a stack of five layers use?"
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


def run_stack(N, residual, Ws):
    x = np.random.RandomState(0).randn(4, 16)
    caches = []
    for W in [Ws[0]] * N:
        a, cache = sublayer_forward(x, W)
        caches.append(cache)
        x = x + a if residual else a
    dx = np.ones_like(x)
    for W, cache in zip([Ws[0]] * N, reversed(caches)):
        df = sublayer_backward(dx, cache, W)
        dx = dx + df if residual else df
    return float(np.linalg.norm(dx))
