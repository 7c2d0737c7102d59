"""The mean is subtracted, but the variance is the mean of the squares of x itself."""

import numpy as np

hint = "The variance measures distances from something. From what?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
