"""The gradient goes back through W instead of its transpose."""

hint = "Which entry of W leads from x[i] to z[j]?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_backward(dout, cache):
    cache, a, W = cache
    dx, dgain, dbias = layernorm_backward((dout * (1 - a**2)) @ W, cache)
    return dout + dx, dgain, dbias
