"""The activation is cached instead of z, in dictionaries, with the slope of tanh as 1 - a * a."""

import numpy as np


def residual(x, sublayer):
    branch = sublayer(x)
    if np.shape(branch) != np.shape(x):
        raise ValueError(f"cannot add {list(branch.shape)} to {list(x.shape)}")
    out = x.copy()
    out += branch
    return out


def residual_gradient(dout, df):
    return df + np.ones_like(dout) * dout


def sublayer_forward(x, W):
    a = np.tanh(np.dot(x, W))
    return a, {"a": a}


def sublayer_backward(dout, cache, W):
    a = cache["a"]
    return np.dot((1 - a * a) * dout, np.transpose(W))


def residual_forward(x, W):
    a = np.tanh(x @ W)
    return a + x, {"a": a, "W": W}


def residual_backward(dout, cache):
    a, W = cache["a"], cache["W"]
    dx = dout.copy()
    dx += (dout - dout * a**2) @ W.T
    return dx


def two_residual_forward(x, W_f, W_g):
    cache = {"W_f": W_f, "W_g": W_g, "f": np.tanh(x @ W_f)}
    h = x + cache["f"]
    cache["g"] = np.tanh(h @ W_g)
    return h + cache["g"], cache


def two_residual_backward(dout, cache):
    dg = (dout * (1 - cache["g"] ** 2)) @ cache["W_g"].T
    through_f = ((dout + dg) * (1 - cache["f"] ** 2)) @ cache["W_f"].T
    return dout + dg + through_f


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.empty(x.shape)
    for i in range(x.size):
        above, below = x.flatten(), x.flatten()
        above[i] += eps
        below[i] -= eps
        slope = (f(above.reshape(x.shape)) - f(below.reshape(x.shape))) / (2 * eps)
        gradient.reshape(-1)[i] = slope
    return gradient


def max_relative_error(a, b):
    return max((abs(a - b) / (abs(a) + abs(b) + 1e-12)).ravel())


def preservation_ratios(Ws, depths):
    entered = np.sqrt(4 * 16)
    return (np.array([run_stack(N, True, Ws) for N in depths]) / entered).tolist()
