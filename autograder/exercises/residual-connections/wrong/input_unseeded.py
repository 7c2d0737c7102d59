"""The input is drawn without a seed, a new one in every call."""

import numpy as np

hint = "Call your function twice with the same arguments. Should the two results differ?"
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


def run_stack(N, residual, Ws):
    x = np.random.randn(4, 16)
    caches = []
    for W in Ws[:N]:
        a, cache = sublayer_forward(x, W)
        caches.append(cache)
        x = x + a if residual else a
    dx = np.ones_like(x)
    for W, cache in zip(reversed(Ws[:N]), reversed(caches)):
        df = sublayer_backward(dx, cache, W)
        dx = dx + df if residual else df
    return float(np.linalg.norm(dx))
