"""The variance divides by C - 1, as for a sample."""

import numpy as np

hint = "What do you divide the sum of squares by? Compare with the formula of the lesson, at a row with few channels."
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt(x.var(axis=-1, ddof=1, keepdims=True) + eps)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
