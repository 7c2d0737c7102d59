"""The correction of the root divides by C - 1 while the forward pass divides by C."""

hint = "Both passes need the same variance."
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    C = dout.shape[-1]
    through_s = normalized * (dn * normalized).sum(axis=-1, keepdims=True) / (C - 1)
    dx = (dn - dn.mean(axis=-1, keepdims=True) - through_s) / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
