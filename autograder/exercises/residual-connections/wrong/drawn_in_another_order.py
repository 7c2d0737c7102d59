"""All numbers are drawn at once and dealt out along another axis."""

import numpy as np

hint = "The same numbers in another order make another bank. Which of them does the first matrix take?"
loses = ["gradient_table", "exercise_1"]


def weight_bank(scale, C=16, n=20, seed=42):
    np.random.seed(seed)
    numbers = np.random.randn(C, C, n) * (scale / np.sqrt(C))
    return [numbers[:, :, i] for i in range(n)]
