"""The division by s is left out of dx."""

hint = "Make x a hundred times louder. What should happen to dx?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, _, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = dn - corrections
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
