"""The small term in the denominator is left out, and 0 / 0 is not a number."""

import numpy as np

hint = "What is your error of two arrays of zeros?"
loses = ["gradient_check"]


def max_relative_error(a, b):
    return float(np.max(np.abs(a - b) / (np.abs(a) + np.abs(b))))
