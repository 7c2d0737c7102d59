"""dout *= gain changes the caller's array."""

hint = "Look at dout before and after the call."
loses = ["backward"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dgain, dbias = (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
    dout *= gain
    corrections = dout.mean(axis=-1, keepdims=True) + normalized * (dout * normalized).mean(axis=-1, keepdims=True)
    dx = (dout - corrections) / s
    return dx, dgain, dbias
