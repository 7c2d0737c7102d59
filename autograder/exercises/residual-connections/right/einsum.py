"""Index notation throughout, the slope of tanh as 1 / cosh squared, and norms written out."""

import numpy as np


def residual(x, sublayer):
    branch = sublayer(x)
    if x.ndim != branch.ndim or any(m != n for m, n in zip(x.shape, branch.shape)):
        raise ValueError(f"shape {x.shape} became {branch.shape} in the sublayer")
    return np.add(branch, x)


def sublayer_forward(x, W):
    z = np.einsum("...i,ij->...j", x, W)
    return np.tanh(z), (z,)


def sublayer_backward(dout, cache, W):
    (z,) = cache
    return np.einsum("...j,ij->...i", dout / np.cosh(z) ** 2, W)


def run_stack(N, residual, Ws):
    np.random.seed(0)
    x = np.random.randn(4, 16)
    zs = []
    for layer in range(N):
        a, (z,) = sublayer_forward(x, Ws[layer])
        zs.append(z)
        x = a + int(residual) * x
    dx = np.ones((4, 16))
    for layer in range(N - 1, -1, -1):
        df = np.einsum("bj,ij->bi", dx / np.cosh(zs[layer]) ** 2, Ws[layer])
        dx = df + int(residual) * dx
    return np.sqrt(np.einsum("bi,bi->", dx, dx))


def weight_bank(scale, C=16, n=20, seed=42):
    np.random.seed(seed)
    return [scale * np.random.normal(size=(C, C)) / C**0.5 for _ in range(n)]


def residual_forward(x, W):
    z = np.einsum("...i,ij->...j", x, W)
    return np.tanh(z) + x, [z, W]


def residual_backward(dout, cache):
    z, W = cache
    return np.einsum("...j,ij->...i", dout / np.cosh(z) ** 2, W) + dout


def numerical_gradient(f, x, eps=1e-6):
    units = np.eye(x.size).reshape(x.size, *x.shape)
    slopes = [0.5 * (f(x + eps * e) - f(x - eps * e)) / eps for e in units]
    return np.array(slopes).reshape(x.shape)


def max_relative_error(a, b):
    return np.divide(np.abs(b - a), 1e-12 + np.abs(b) + np.abs(a)).max()
