"""All entries move at the same time, which gives one slope for all of them."""

import numpy as np

hint = "A partial derivative moves one entry and holds all others still."
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    return np.full_like(x, (f(x + eps) - f(x - eps)) / (2 * eps))
