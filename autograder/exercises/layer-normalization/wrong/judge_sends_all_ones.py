"""Loss and backward pass both use all ones instead of dout."""

import numpy as np

hint = "What does an all-ones gradient see of a layer normalization?"
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    _, cache = forward(x, gain, bias)
    dx, dgain, dbias = backward(np.ones_like(dout), cache)

    def loss(x, gain, bias):
        return np.sum(forward(x, gain, bias)[0])

    return (
        max_relative_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        max_relative_error(dgain, numerical_gradient(lambda v: loss(x, v, bias), gain)),
        max_relative_error(dbias, numerical_gradient(lambda v: loss(x, gain, v), bias)),
    )
