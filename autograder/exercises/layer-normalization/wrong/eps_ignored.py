"""eps is not used at all."""

hint = "What happens to a row that is constant?"
loses = ["normalize", "backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_forward(x, gain, bias, eps=1e-5):
    centered = x - x.mean(axis=-1, keepdims=True)
    s = x.std(axis=-1, keepdims=True)
    normalized = centered / s
    return gain * normalized + bias, (normalized, s, gain)
