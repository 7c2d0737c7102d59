"""The correction that comes from the mean is left out."""

hint = "Add up the entries of your dx in one row. What does the lesson say about that sum?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    dx = (dn - normalized * (dn * normalized).mean(axis=-1, keepdims=True)) / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
