"""Gain and bias are applied to x first, then the result is normalized."""

import numpy as np

hint = "Which comes first, the ruler or the gain? The mean of your output says it."
loses = ["normalize", "backward", "prenorm_block"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    y = gain * x + bias
    centered = y - y.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    s = np.sqrt(variance + eps)
    normalized = centered / s
    return normalized, (normalized, s, gain)
