"""The average of the relative errors is returned instead of the largest."""

import numpy as np

hint = "One entry in a thousand is wrong. Does your check notice?"
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * forward(x, gain, bias)[0])

    def mean_error(a, b):
        return float(np.mean(np.abs(a - b) / (np.abs(a) + np.abs(b) + 1e-12)))

    return (
        mean_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        mean_error(dgain, numerical_gradient(lambda v: loss(x, v, bias), gain)),
        mean_error(dbias, numerical_gradient(lambda v: loss(x, gain, v), bias)),
    )
