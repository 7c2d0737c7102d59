"""dgain and dbias are returned in the wrong order."""

hint = "Compare the order of what you return with the docstring."
loses = ["backward", "prenorm_block"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) / s
    return dx, dout.sum(axis=rows), (dout * normalized).sum(axis=rows)
