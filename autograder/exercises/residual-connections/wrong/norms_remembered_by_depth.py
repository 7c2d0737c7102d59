"""Norms are remembered by depth and kind, whatever the weights are."""

import numpy as np

hint = "Which arguments of the first call does the answer of your second call depend on?"
loses = ["run_stack", "gradient_table", "exercise_1", "exercise_3"]


_known = {}


def run_stack(N, residual, Ws):
    if (N, residual) not in _known:
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
        _known[N, residual] = float(np.linalg.norm(dx))
    return _known[N, residual]
