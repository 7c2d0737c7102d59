"""The rows are divided by the variance instead of its root."""

hint = "Multiply a row by ten. Does your output stay the same?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    s = variance + eps
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
