"""NumPy's error handling is switched off for everybody."""

import numpy as np

hint = "Who will still be told of a division by zero after your function has run?"
loses = ["gradient_check"]


def max_relative_error(a, b):
    np.seterr(all="ignore")
    return float(np.max(np.abs(a - b) / (np.abs(a) + np.abs(b) + 1e-12)))
