"""The seed is set before every matrix, so that all matrices of a bank are the same."""

import numpy as np

hint = "Print the first two matrices of your bank."
loses = ["gradient_table", "exercise_1"]


def weight_bank(scale, C=16, n=20, seed=42):
    bank = []
    for _ in range(n):
        np.random.seed(seed)
        bank.append(np.random.randn(C, C) * (scale / np.sqrt(C)))
    return bank
