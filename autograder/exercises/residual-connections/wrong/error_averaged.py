"""The mean of the relative errors is taken, in which one wrong entry can hide."""

import numpy as np

hint = "One wrong entry among a million must not go unnoticed."
loses = ["gradient_check"]


def max_relative_error(a, b):
    return float(np.mean(np.abs(a - b) / (np.abs(a) + np.abs(b) + 1e-12)))
