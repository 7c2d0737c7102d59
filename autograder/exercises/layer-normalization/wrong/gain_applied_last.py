"""The gain multiplies dx at the end instead of dout at the beginning."""

hint = "In which order does the gradient meet the gain and the normalization?"
loses = ["backward", "prenorm_block"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) * gain / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
