"""A batch of one is treated apart, and wrongly: mean and variance count as constants."""

hint = "Do the terms of the Jacobian depend on how many rows there are?"
loses = ["backward", "prenorm_block", "stack_norms"]


def layernorm_backward(dout, cache):
    normalized, s, gain = cache
    rows = tuple(range(dout.ndim - 1))
    dgain, dbias = (dout * normalized).sum(axis=rows), dout.sum(axis=rows)
    d = dout * gain
    if len(dout) == 1:
        return d / s, dgain, dbias
    through_s = normalized * (d * normalized).mean(axis=-1, keepdims=True)
    return (d - d.mean(axis=-1, keepdims=True) - through_s) / s, dgain, dbias
