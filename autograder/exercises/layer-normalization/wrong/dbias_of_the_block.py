"""dbias is the sum of the block's upstream gradient, as if the bias were added at the output."""

hint = "Through which steps does the bias act on the output of the block?"
loses = ["prenorm_block"]


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dh = (dout * (1 - a**2)) @ W.T
    dx, dgain, _ = layernorm_backward(dh, cache)
    return dout + dx, dgain, dout.sum(axis=tuple(range(dout.ndim - 1)))
