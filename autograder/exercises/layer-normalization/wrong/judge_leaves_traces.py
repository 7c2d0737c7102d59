"""The entries are moved in place and not put back exactly where they were."""

import numpy as np

hint = "Look at x, gain and bias before and after the check."
loses = ["gradient_check"]


def check_layernorm(forward, backward, x, gain, bias, dout):
    gradients = backward(dout, forward(x, gain, bias)[1])
    errors = []
    for argument, gradient in zip((x, gain, bias), gradients):
        measured = np.zeros_like(argument)
        for index in np.ndindex(*argument.shape):
            argument[index] += 1e-6
            up = np.sum(dout * forward(x, gain, bias)[0])
            argument[index] -= 2e-6
            down = np.sum(dout * forward(x, gain, bias)[0])
            measured[index] = (up - down) / 2e-6
        errors.append(max_relative_error(gradient, measured))
    return tuple(errors)
