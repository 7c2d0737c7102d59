"""np.linalg.norm(dx, 2) measures the largest stretch of a matrix, not the length of its entries."""

import numpy as np

hint = "Which norm is the square root of the sum of all squared entries?"
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


def run_stack(N, residual, Ws):
    x = np.random.RandomState(0).randn(4, 16)
    caches = []
    for W in Ws[:N]:
        a, cache = sublayer_forward(x, W)
        caches.append(cache)
        x = x + a if residual else a
    dx = np.ones_like(x)
    for W, cache in zip(reversed(Ws[:N]), reversed(caches)):
        df = sublayer_backward(dx, cache, W)
        dx = dx + df if residual else df
    return float(np.linalg.norm(dx, 2))
