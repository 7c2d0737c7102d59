"""The backward pass as a chain of small steps, through the variance and the mean, one gradient for each quantity."""

import numpy as np


def layernorm_forward(x, gain, bias, eps=1e-5):
    C = x.shape[-1]
    mean = np.sum(x, axis=-1, keepdims=True) / C
    centered = x - mean
    square = centered**2
    variance = np.sum(square, axis=-1, keepdims=True) / C
    root = np.sqrt(variance + eps)
    inverse = 1.0 / root
    normalized = centered * inverse
    return normalized * gain + bias, (C, centered, root, inverse, normalized, gain)


def layernorm_backward(dout, cache):
    C, centered, root, inverse, normalized, gain = cache
    dbias, dgain = dout, dout * normalized
    while dbias.ndim > 1:
        dbias, dgain = dbias.sum(axis=0), dgain.sum(axis=0)
    dnormalized = dout * gain
    dinverse = np.sum(dnormalized * centered, axis=-1, keepdims=True)
    droot = -dinverse / root**2
    dvariance = 0.5 * droot / root
    dsquare = np.ones_like(centered) * dvariance / C
    dcentered = dnormalized * inverse + 2 * centered * dsquare
    dmean = -np.sum(dcentered, axis=-1, keepdims=True)
    return dcentered + dmean / C, dgain, dbias


def layernorm_jacobian(x, gain, eps=1e-5):
    columns = []
    for i in range(len(x)):
        dx = np.zeros_like(x)
        dx[i] = 1.0
        dcentered = dx - dx.mean()
        centered = x - x.mean()
        root = np.sqrt((centered**2).mean() + eps)
        droot = (centered * dcentered).mean() / root
        columns.append(gain * (dcentered * root - centered * droot) / root**2)
    return np.column_stack(columns)


def check_layernorm(forward, backward, x, gain, bias, dout):
    arguments = [x, gain, bias]
    gradients = backward(dout, forward(*arguments)[1])
    errors = []
    for place in range(3):

        def loss(v, place=place):
            out, _ = forward(*arguments[:place], v, *arguments[place + 1 :])
            return float((out * dout).sum())

        errors.append(max_relative_error(numerical_gradient(loss, arguments[place]), gradients[place]))
    return errors
