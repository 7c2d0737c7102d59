"""One mean and one variance for the whole array."""

import numpy as np

hint = "How many rulers are there, and how many rows?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean()
    s = np.sqrt(x.var() + eps)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
