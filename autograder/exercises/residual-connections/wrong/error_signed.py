"""The difference keeps its sign, so that entries that are too small count as no error."""

import numpy as np

hint = "Swap the two arguments. Should the error change?"
loses = ["gradient_check"]


def max_relative_error(a, b):
    return float(np.max((a - b) / (np.abs(a) + np.abs(b) + 1e-12)))
