"""The skip path is there on the way back but was forgotten in the forward pass."""

import numpy as np

hint = "The backward pass must belong to the forward pass that really ran."
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


def run_stack(N, residual, Ws):
    x = np.random.RandomState(0).randn(4, 16)
    caches = []
    for W in Ws[:N]:
        a, cache = sublayer_forward(x, W)
        caches.append(cache)
        x = a
    dx = np.ones_like(x)
    for W, cache in zip(reversed(Ws[:N]), reversed(caches)):
        df = sublayer_backward(dx, cache, W)
        dx = dx + df if residual else df
    return float(np.linalg.norm(dx))
