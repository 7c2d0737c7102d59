"""Rows are divided by the root of their mean square, and their mean stays."""

import numpy as np

hint = "Lift a row by 100. Does your output stay the same?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    s = np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)
    normalized = x / s
    return gain * normalized + bias, (normalized, s, gain)
