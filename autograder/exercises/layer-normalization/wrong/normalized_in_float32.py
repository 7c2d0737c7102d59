"""The arithmetic is done in float32 and converted back."""

import numpy as np

hint = "Somewhere half of the digits get lost. Which dtype do your intermediate results have?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    s = np.sqrt((variance + eps).astype(np.float32)).astype(float)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
