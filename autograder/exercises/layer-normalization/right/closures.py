"""Every cache is a function that knows its own way back."""

import numpy as np


def layernorm_forward(x, gain, bias, eps=1e-5):
    s = np.sqrt(np.var(x, axis=-1, keepdims=True) + eps)
    n = (x - np.mean(x, axis=-1, keepdims=True)) / s

    def back(dout):
        weighted = dout * n
        dgain = weighted.reshape(-1, len(gain)).sum(axis=0)
        dbias = dout.reshape(-1, len(gain)).sum(axis=0)
        lift = (dout @ gain)[..., None] / len(gain)
        loudness = (weighted @ gain)[..., None] / len(gain)
        return (gain * dout - lift - loudness * n) / s, dgain, dbias

    return gain * n + bias, back


def layernorm_backward(dout, cache):
    return cache(dout)


def prenorm_forward(x, W, gain, bias):
    h, norm_back = layernorm_forward(x, gain, bias)
    a = np.tanh(h @ W)

    def back(dout):
        dx, dgain, dbias = norm_back((dout - dout * a * a) @ W.T)
        return dout + dx, dgain, dbias

    return x + a, back


def prenorm_backward(dout, cache):
    return cache(dout)


def check_layernorm(forward, backward, x, gain, bias, dout):
    def slope(of, name):
        point = {"x": x, "gain": gain, "bias": bias}

        def loss(v):
            point[name] = v
            return np.vdot(dout, forward(*point.values())[0])

        return max_relative_error(of, numerical_gradient(loss, point[name]))

    gradients = backward(dout, forward(x, gain, bias)[1])
    return tuple(slope(gradient, name) for gradient, name in zip(gradients, ("x", "gain", "bias")))
