"""The skip path's gradient is multiplied by the slope of tanh too."""

hint = "What happens to x along the skip path, and so to its gradient?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dz = dout * (1 - a**2)
    dx, dgain, dbias = layernorm_backward(dz @ W.T, cache)
    return dz + dx, dgain, dbias
