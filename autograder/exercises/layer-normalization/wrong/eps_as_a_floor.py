"""The variance is kept from falling below eps instead of having eps added."""

import numpy as np

hint = "Is eps added for every row, or only where the variance is small?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    s = np.sqrt(np.maximum(variance, eps))
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
