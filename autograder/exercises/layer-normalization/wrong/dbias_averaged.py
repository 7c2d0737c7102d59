"""The gradient of the bias is the average over the rows instead of the sum."""

hint = "The chain rule adds what comes from the rows. Does it divide by their number?"
loses = ["backward", "prenorm_block"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) / s
    return dx, (dout * normalized).sum(axis=rows), dout.mean(axis=rows)
