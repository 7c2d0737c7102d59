"""The loop runs over the first axis alone and moves whole rows."""

import numpy as np

hint = "How many entries does x have, and how often do you call f?"
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = eps
        gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
    return gradient
