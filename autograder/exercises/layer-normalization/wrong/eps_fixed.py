"""The default eps is written into the formula, so the argument has no effect."""

import numpy as np

hint = "Call your function with eps = 1. Does anything change?"
loses = ["normalize", "backward"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    s = np.sqrt(variance + 1e-5)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
