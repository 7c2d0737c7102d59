"""eps is added to the standard deviation instead of the variance."""

hint = "Where exactly does eps stand in the formula for s?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = x.std(axis=-1, keepdims=True) + eps
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
