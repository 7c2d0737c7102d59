"""Width, number and seed are written into the body, the arguments have no effect."""

import numpy as np

hint = "Call your function with another width and another seed."
loses = ["gradient_table"]


def weight_bank(scale, C=16, n=20, seed=42):
    np.random.seed(42)
    return [np.random.randn(16, 16) * (scale / np.sqrt(16)) for _ in range(20)]
