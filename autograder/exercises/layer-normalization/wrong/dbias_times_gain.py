"""The gradient of the bias has passed the gain."""

hint = "Does the bias come before or after the gain?"
loses = ["backward", "prenorm_block"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) / s
    return dx, (dout * normalized).sum(axis=rows), dn.sum(axis=rows)
