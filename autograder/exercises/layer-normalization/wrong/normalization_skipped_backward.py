"""The branch's gradient is not sent back through the normalization."""

hint = "The branch has three steps. How many do you undo?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dh = (dout * (1 - a**2)) @ W.T
    _, dgain, dbias = layernorm_backward(dh, cache)
    return dout + dh, dgain, dbias
