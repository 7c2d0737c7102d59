"""All axes but the first are normalized together, time as well as channels."""

import numpy as np

hint = "In (B, T, C), which numbers may take part in the mean of one position?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    axes = tuple(range(1, x.ndim)) or (0,)
    centered = x - x.mean(axis=axes, keepdims=True)
    s = np.sqrt(x.var(axis=axes, keepdims=True) + eps)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
