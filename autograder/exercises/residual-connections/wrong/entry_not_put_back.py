"""Each entry is moved in place and never put back."""

import numpy as np

hint = "What does x look like when your loop reaches its second entry?"
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        x[index] += eps
        above = f(x)
        x[index] -= 2 * eps
        below = f(x)
        gradient[index] = (above - below) / (2 * eps)
    return gradient
