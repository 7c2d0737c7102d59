"""Mean and root are treated as constants: dx = dout * gain / s."""

hint = "On how many ways does an entry of x act on the outputs of its row?"
loses = ["backward", "prenorm_block", "stack_norms", "drift_table"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dn = dout * gain
    dx = dn / s
    return dx, (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
