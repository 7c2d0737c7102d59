"""The bias is added before the gain multiplies."""

import numpy as np

hint = "Which of the two acts last, gain or bias?"
loses = ["normalize", "prenorm_block"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    s = np.sqrt(variance + eps)
    normalized = centered / s
    return gain * (normalized + bias), (normalized, s, gain)
