"""Named results and an error class of its own; the norm remembered, but by what is in the weights."""

from typing import NamedTuple

import numpy as np


class ShapeError(ValueError):
    pass


class Pass(NamedTuple):
    out: np.ndarray
    cache: object


_norms = {}


def residual(x, sublayer):
    branch = sublayer(x)
    if np.shape(branch) != np.shape(x):
        raise ShapeError(f"shapes differ: {x.shape} and {branch.shape}")
    return np.add(branch, x)


def residual_gradient(dout, df):
    return np.sum([dout, df], axis=0)


def sublayer_forward(x, W):
    a = np.tanh(x @ W)
    return Pass(a, a)


def sublayer_backward(dout, cache, W):
    return (dout - dout * cache * cache) @ W.T


def run_stack(N, residual, Ws):
    key = N, residual, tuple(W.tobytes() for W in Ws[:N])
    if key not in _norms:
        x, caches = np.random.RandomState(0).randn(4, 16), []
        for W in Ws[:N]:
            a, cache = sublayer_forward(x, W)
            caches.append((cache, W))
            x = x * bool(residual) + a
        dx = np.ones((4, 16))
        for cache, W in caches[::-1]:
            dx = dx * bool(residual) + sublayer_backward(dx, cache, W)
        _norms[key] = np.sqrt(np.sum(dx * dx))
    return _norms[key]


def residual_forward(x, W):
    a = np.tanh(x @ W)
    return Pass(x + a, {"slope": 1 - a**2, "W": W})


def residual_backward(dout, cache):
    return dout + (dout * cache["slope"]) @ cache["W"].T


def two_residual_forward(x, W_f, W_g):
    first = residual_forward(x, W_f)
    second = residual_forward(first.out, W_g)
    return Pass(second.out, [first, second])


def two_residual_backward(dout, cache):
    for one in reversed(cache):
        dout = residual_backward(dout, one.cache)
    return dout


def preservation_ratios(Ws, depths):
    return tuple(run_stack(N, True, Ws) / np.sqrt(64) for N in depths)
