"""The gradients of gain and bias are summed over the first axis only."""

hint = "Which axes does (B, T, C) have besides the channels? And (C,)?"
loses = ["backward", "prenorm_block"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    dn = dout * gain
    corrections = dn.mean(axis=-1, keepdims=True) + normalized * (dn * normalized).mean(axis=-1, keepdims=True)
    dx = (dn - corrections) / s
    return dx, (dout * normalized).sum(axis=0), dout.sum(axis=0)
