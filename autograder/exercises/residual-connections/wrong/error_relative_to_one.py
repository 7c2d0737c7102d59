"""The difference is divided by the second array's entries alone."""

import numpy as np

hint = "Swap the two arguments. Should the error change?"
loses = ["gradient_check"]


def max_relative_error(a, b):
    return float(np.max(np.abs(a - b) / (np.abs(b) + 1e-12)))
