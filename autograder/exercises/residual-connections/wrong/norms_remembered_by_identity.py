"""Norms are remembered by the identity of the list of weights."""

import numpy as np

hint = "Train the weights for a step, in place, and measure again. What does your function look at?"
loses = ["run_stack", "gradient_table", "exercise_3"]


_known = {}


def run_stack(N, residual, Ws):
    key = N, residual, id(Ws)
    if key not in _known:
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
        _known[key] = Ws, float(np.linalg.norm(dx))
    return _known[key][1]
