"""The gradient of the gain is multiplied by the gain."""

hint = "Differentiate gain times something with respect to the gain. Is the gain still there?"
loses = ["backward", "prenorm_block"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) / s
    return dx, (dn * normalized).sum(axis=rows), dout.sum(axis=rows)
