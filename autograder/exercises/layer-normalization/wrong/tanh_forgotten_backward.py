"""The slope of tanh is left out."""

hint = "The branch has three steps. How many do you undo?"
loses = ["prenorm_block", "stack_norms", "drift_table"]


def prenorm_backward(dout, cache):
    cache, _, W = cache
    dx, dgain, dbias = layernorm_backward(dout @ W.T, cache)
    return dout + dx, dgain, dbias
