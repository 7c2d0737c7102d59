"""The argument eps has no effect; the step is written into the body."""

import numpy as np

hint = "Call your function with a large step for a cubic function: the result should be visibly off."
loses = ["gradient_check"]


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-6
        gradient[index] = (f(x + step) - f(x - step)) / 2e-6
    return gradient
