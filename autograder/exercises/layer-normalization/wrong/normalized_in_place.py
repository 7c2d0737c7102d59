"""x -= mean changes the caller's array."""

import numpy as np

hint = "Look at x before and after the call."
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    x -= x.mean(axis=-1, keepdims=True)
    s = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    normalized = x / s
    return gain * normalized + bias, (normalized, s, gain)
