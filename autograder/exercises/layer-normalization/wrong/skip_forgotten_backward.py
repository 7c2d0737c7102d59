"""The backward pass returns what comes through the branch alone."""

hint = "On how many roads does the gradient come home?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dh = (dout * (1 - a**2)) @ W.T
    return layernorm_backward(dh, cache)
