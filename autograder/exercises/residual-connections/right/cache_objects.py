"""Caches are objects of a class, and the numerical gradient moves the entries of x in place."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Layer:
    x: np.ndarray
    W: np.ndarray

    @property
    def slope(self):
        return 1 - np.tanh(self.x @ self.W) ** 2

    def branch_gradient(self, dout):
        return np.matmul(dout * self.slope, self.W.T)


@dataclass
class Block:
    first: Layer
    second: Layer


def sublayer_forward(x, W):
    return np.tanh(np.matmul(x, W)), Layer(x, W)


def sublayer_backward(dout, cache, W):
    return cache.branch_gradient(dout)


def residual_forward(x, W):
    return x + np.tanh(np.matmul(x, W)), Layer(x, W)


def residual_backward(dout, cache):
    return cache.branch_gradient(dout) + dout


def two_residual_forward(x, W_f, W_g):
    block = Block(Layer(x, W_f), Layer(x + np.tanh(x @ W_f), W_g))
    return block.second.x + np.tanh(block.second.x @ W_g), block


def two_residual_backward(dout, cache):
    dh = dout + cache.second.branch_gradient(dout)
    return dh + cache.first.branch_gradient(dh)


def numerical_gradient(f, x, eps=1e-6):
    gradient = np.zeros(x.shape)
    entries = np.nditer(x, flags=["multi_index"])
    for entry in entries:
        i, kept = entries.multi_index, float(entry)
        x[i] = kept + eps
        above = f(x)
        x[i] = kept - eps
        below = f(x)
        x[i] = kept
        gradient[i] = (above - below) / (2 * eps)
    return gradient


def max_relative_error(a, b):
    worst = 0.0
    for u, v in zip(a.flat, b.flat):
        worst = max(worst, abs(u - v) / (abs(u) + abs(v) + 1e-12))
    return worst


def weakened_answers():
    lines = weakened_table().splitlines()[2:]
    plain = np.array([float(line.split("|")[1]) for line in lines])
    skip = np.array([float(line.split("|")[2]) for line in lines])
    return np.all(np.diff(plain) < 0), np.all(skip >= 8)
