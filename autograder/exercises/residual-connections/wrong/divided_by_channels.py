"""The scale is divided by C instead of by its square root."""

import numpy as np

hint = "How does the spread of a sum of C random terms grow with C?"
loses = ["gradient_table", "exercise_1"]


def weight_bank(scale, C=16, n=20, seed=42):
    np.random.seed(seed)
    return [np.random.randn(C, C) * (scale / C) for _ in range(n)]
