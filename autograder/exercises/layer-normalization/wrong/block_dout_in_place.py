"""The skip path's gradient is added in place, which changes the caller's dout."""

hint = "Look at dout before and after the call."
loses = ["prenorm_block"]


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dh = (dout * (1 - a**2)) @ W.T
    dx, dgain, dbias = layernorm_backward(dh, cache)
    dout += dx
    return dout, dgain, dbias
