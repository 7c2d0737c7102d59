"""x += a changes the caller's array."""

import numpy as np

hint = "Look at x before and after the call."
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_forward(x, W, gain, bias):
    h, cache = layernorm_forward(x, gain, bias)
    a = np.tanh(h @ W)
    x += a
    return x, (cache, a, W)
