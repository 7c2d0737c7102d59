"""The skip path is there in the forward pass but forgotten on the way back."""

import numpy as np

hint = "On how many roads does the gradient come down through a layer with a skip path?"
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
        dx = df
    return float(np.linalg.norm(dx))
