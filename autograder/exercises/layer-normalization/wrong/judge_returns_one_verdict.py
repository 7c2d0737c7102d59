"""The largest of the three errors is returned for all three."""

import numpy as np

hint = "Which of the three gradients is the wrong one? Your check should be able to tell."
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * forward(x, gain, bias)[0])

    errors = (
        max_relative_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        max_relative_error(dgain, numerical_gradient(lambda v: loss(x, v, bias), gain)),
        max_relative_error(dbias, numerical_gradient(lambda v: loss(x, gain, v), bias)),
    )
    return (max(errors),) * 3
