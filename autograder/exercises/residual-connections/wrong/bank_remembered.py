"""Banks are remembered, and all callers share their arrays."""

import numpy as np

hint = "Somebody trains the matrices of your bank in place. What does the next one get who asks for it?"
loses = ["gradient_table"]


_banks = {}


def weight_bank(scale, C=16, n=20, seed=42):
    if (scale, C, n, seed) not in _banks:
        np.random.seed(seed)
        _banks[scale, C, n, seed] = [np.random.randn(C, C) * (scale / np.sqrt(C)) for _ in range(n)]
    return _banks[scale, C, n, seed]
