"""Entries are moved in x.reshape(-1), which is a copy where x is not contiguous."""

import numpy as np

hint = "When does reshape return a view, and when a copy that f never sees?"
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    gradient, flat = np.zeros(x.size), x.reshape(-1)
    for i in range(x.size):
        kept = flat[i]
        flat[i] = kept + eps
        above = f(x)
        flat[i] = kept - eps
        below = f(x)
        flat[i] = kept
        gradient[i] = (above - below) / (2 * eps)
    return gradient.reshape(x.shape)
