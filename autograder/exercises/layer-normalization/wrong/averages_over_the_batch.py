"""The two corrections are averages over the batch, as in batch normalization."""

hint = "Which axis did the forward pass normalize?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.mean(axis=0, keepdims=True) + normalized * (dn * normalized).mean(axis=0, keepdims=True)
    dx = (dn - corrections) / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
