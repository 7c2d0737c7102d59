"""The largest absolute difference is returned."""

import numpy as np

hint = "Is a difference of 0.01 much? It depends on the size of the gradient."
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * forward(x, gain, bias)[0])

    def largest(a, b):
        return float(np.max(np.abs(a - b)))

    return (
        largest(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        largest(dgain, numerical_gradient(lambda v: loss(x, v, bias), gain)),
        largest(dbias, numerical_gradient(lambda v: loss(x, gain, v), bias)),
    )
