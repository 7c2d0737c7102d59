"""The weights are taken off the caller's list on the way back."""

import numpy as np

hint = "Whose list is Ws, and how long is it after the call?"
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


def run_stack(N, residual, Ws):
    x = np.random.RandomState(0).randn(4, 16)
    caches = []
    del Ws[N:]
    for W in Ws:
        a, cache = sublayer_forward(x, W)
        caches.append(cache)
        x = x + a if residual else a
    dx = np.ones_like(x)
    while Ws:
        df = sublayer_backward(dx, caches.pop(), Ws.pop())
        dx = dx + df if residual else df
    return float(np.linalg.norm(dx))
