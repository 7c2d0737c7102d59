"""Only the gradient of x is compared; the errors of the other two are said to be zero."""

import numpy as np

hint = "How many gradients stand trial, and how many did you look at?"
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    _, cache = forward(x, gain, bias)
    dx, _, _ = backward(dout, cache)

    def loss(x, gain, bias):
        return np.sum(dout * forward(x, gain, bias)[0])

    return (
        max_relative_error(dx, numerical_gradient(lambda v: loss(v, gain, bias), x)),
        0.0,
        0.0,
    )
