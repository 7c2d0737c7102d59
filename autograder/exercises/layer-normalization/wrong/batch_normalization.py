"""The statistics are taken over the first axis, across the examples of the batch."""

import numpy as np

hint = "Whose mean is it? No row may know of any other."
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=0, keepdims=True)
    variance = (centered**2).mean(axis=0, keepdims=True)
    s = np.sqrt(variance + eps)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
