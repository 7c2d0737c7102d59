"""The two corrections are sums over the row instead of averages."""

hint = "Where does the 1 / C of the Jacobian appear in your formula?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.sum(axis=-1, keepdims=True) + normalized * (dn * normalized).sum(axis=-1, keepdims=True)
    dx = (dn - corrections) / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
