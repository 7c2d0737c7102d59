"""The gradient is filled through ravel(), which is a copy where zeros_like follows a transposed x."""

import numpy as np

hint = "In which order do the entries of zeros_like(x) lie in memory, and what does ravel() return then?"
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = eps
        step = step.reshape(x.shape)
        gradient.ravel()[i] = (f(x + step) - f(x - step)) / (2 * eps)
    return gradient
