"""One skip path leads around the whole stack instead of one around each layer."""

import numpy as np

hint = "Every layer has its own skip path, and so does its way back."
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


def run_stack(N, residual, Ws):
    x0 = x = np.random.RandomState(0).randn(4, 16)
    caches = []
    for W in Ws[:N]:
        x, cache = sublayer_forward(x, W)
        caches.append(cache)
    dout = dx = np.ones_like(x0)
    for W, cache in zip(reversed(Ws[:N]), reversed(caches)):
        dx = sublayer_backward(dx, cache, W)
    return float(np.linalg.norm(dout + dx if residual else dx))
