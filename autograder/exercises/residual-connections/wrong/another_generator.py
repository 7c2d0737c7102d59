"""The numbers come from default_rng, which draws others from the same seed."""

import numpy as np

hint = "A seed alone does not fix the numbers. Which generator does the lesson name?"
loses = ["gradient_table", "exercise_1"]


def weight_bank(scale, C=16, n=20, seed=42):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((C, C)) * (scale / np.sqrt(C)) for _ in range(n)]
