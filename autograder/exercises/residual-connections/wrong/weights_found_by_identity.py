"""Layers are looked up by their weights, so two layers with the same weights get one cache."""

import numpy as np

hint = "May two layers of a stack use the very same matrix? Which of their caches does yours keep?"
loses = ["run_stack"]


def run_stack(N, residual, Ws):
    x = np.random.RandomState(0).randn(4, 16)
    caches = {}
    for W in Ws[:N]:
        a, caches[id(W)] = sublayer_forward(x, W)
        x = x + a if residual else a
    dx = np.ones_like(x)
    for W in reversed(Ws[:N]):
        df = sublayer_backward(dx, caches[id(W)], W)
        dx = dx + df if residual else df
    return float(np.linalg.norm(dx))
