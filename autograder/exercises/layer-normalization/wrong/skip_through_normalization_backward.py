"""Both roads are joined too early, and the sum goes back through the normalization."""

hint = "Where in the picture do the two roads part? There they meet again on the way back."
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dh = (dout * (1 - a**2)) @ W.T
    return layernorm_backward(dout + dh, cache)
