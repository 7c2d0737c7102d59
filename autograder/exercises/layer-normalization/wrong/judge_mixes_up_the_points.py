"""The differences for the gain are taken at the bias, and the other way round."""

import numpy as np

hint = "At which point does each of your three losses begin to move?"
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * forward(x, gain, bias)[0])

    return (
        max_relative_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        max_relative_error(dgain, numerical_gradient(lambda v: loss(x, v, bias), bias)),
        max_relative_error(dbias, numerical_gradient(lambda v: loss(x, gain, v), gain)),
    )
