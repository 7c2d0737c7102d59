"""dx is divided by the square of s."""

hint = "How often does s stand below the fraction line?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) / s**2
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
