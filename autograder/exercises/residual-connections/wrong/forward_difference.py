"""The step goes to one side only."""

import numpy as np

hint = "One step or two? Compare your formula with the lesson's for a cubic function and a large step."
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        moved = x.copy()
        moved[index] += eps
        gradient[index] = (f(moved) - f(x)) / eps
    return gradient
