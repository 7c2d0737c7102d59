"""The check uses layernorm_forward and layernorm_backward, whatever pair it is given."""

import numpy as np

hint = "Give your check a layer that is wrong. Does it notice?"
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    forward, backward = layernorm_forward, layernorm_backward
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * forward(x, gain, bias)[0])

    return (
        max_relative_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        max_relative_error(dgain, numerical_gradient(lambda v: loss(x, v, bias), gain)),
        max_relative_error(dbias, numerical_gradient(lambda v: loss(x, gain, v), bias)),
    )
