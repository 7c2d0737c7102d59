"""The difference of both sides is divided by eps instead of 2 eps."""

import numpy as np

hint = "How far apart are the two points at which you look?"
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[index] = eps
        gradient[index] = (f(x + step) - f(x - step)) / eps
    return gradient
