"""The correction that comes from the root is left out."""

hint = "s contains x as well. What does that add to dx?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    dx = (dn - dn.mean(axis=-1, keepdims=True)) / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
