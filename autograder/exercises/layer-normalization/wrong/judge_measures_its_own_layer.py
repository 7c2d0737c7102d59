"""The numerical gradients are taken of layernorm_forward, whatever layer it is given."""

import numpy as np

hint = "Whose outputs does your loss add up?"
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * layernorm_forward(x, gain, bias)[0])

    return (
        max_relative_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        max_relative_error(dgain, numerical_gradient(lambda v: loss(x, v, bias), gain)),
        max_relative_error(dbias, numerical_gradient(lambda v: loss(x, gain, v), bias)),
    )
