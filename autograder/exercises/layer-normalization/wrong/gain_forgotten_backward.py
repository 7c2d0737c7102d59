"""The gradient enters the normalization without having passed the gain."""

hint = "Which step of the forward pass came last? It is the first on the way back."
loses = ["backward", "prenorm_block"]


def layernorm_backward(dout, cache):
    normalized, s, _ = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
