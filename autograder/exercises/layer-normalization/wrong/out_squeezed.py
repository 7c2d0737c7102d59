"""Axes of length one are squeezed out of the output."""

import numpy as np

hint = "What shape does a batch of one have before the normalization, and after?"
loses = ["normalize", "prenorm_block", "stack_norms"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    normalized = centered / s
    return np.squeeze(gain * normalized + bias), (normalized, s, gain)
