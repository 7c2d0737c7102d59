"""The statistics are taken over axis 1, which is the last one for matrices only."""

import numpy as np

hint = "Count the axes of (B, T, C) and of (C,). Which number always means the last one?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=1, keepdims=True)
    s = np.sqrt(x.var(axis=1, keepdims=True) + eps)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
