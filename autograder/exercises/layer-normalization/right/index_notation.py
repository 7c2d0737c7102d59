"""einsum throughout, and the Jacobian by a complex step."""

import numpy as np


def layernorm_forward(x, gain, bias, eps=1e-5):
    C = x.shape[-1]
    centered = x - np.einsum("...i->...", x)[..., None] / C
    inverse = 1 / np.sqrt(np.einsum("...i,...i->...", centered, centered) / C + eps)
    normalized = np.einsum("...i,...->...i", centered, inverse)
    return np.einsum("...i,i->...i", normalized, gain) + bias, [normalized, inverse, gain]


def layernorm_backward(dout, cache):
    normalized, inverse, gain = cache
    C = gain.shape[0]
    mean = np.einsum("...i,i->...", dout, gain) / C
    slope = np.einsum("...i,i,...i->...", dout, gain, normalized) / C
    dx = dout * gain - mean[..., None] - np.einsum("...,...i->...i", slope, normalized)
    dgain = np.einsum("ri,ri->i", dout.reshape(-1, C), normalized.reshape(-1, C))
    return np.einsum("...,...i->...i", inverse, dx), dgain, np.einsum("ri->i", dout.reshape(-1, C))


def layernorm_jacobian(x, gain, eps=1e-5):
    C, tiny = len(x), 1e-30
    J = np.zeros((C, C))
    for i in range(C):
        z = x.astype(complex)
        z[i] += 1j * tiny
        centered = z - z.sum() / C
        J[:, i] = (gain * centered / np.sqrt((centered**2).sum() / C + eps)).imag / tiny
    return J


def prenorm_forward(x, W, gain, bias):
    h, norm_cache = layernorm_forward(x, gain, bias)
    z = np.einsum("...i,ij->...j", h, W)
    return np.tanh(z) + x, (norm_cache, z, W)


def prenorm_backward(dout, cache):
    norm_cache, z, W = cache
    dh = np.einsum("...j,...j,ij->...i", dout, 1 / np.cosh(z) ** 2, W)
    dx, dgain, dbias = layernorm_backward(dh, norm_cache)
    return np.add(dx, dout), dgain, dbias


def drift_table(Ws, depths):
    x = np.random.RandomState(0).normal(size=(4, 16))
    text = " depth N |   stream res |   stream pre |     grad res |     grad pre\n" + 68 * "-"
    for N in depths:
        pairs = zip(stack_norms(x, Ws[0:N], False), stack_norms(x, Ws[0:N], True))
        numbers = [format(norm, "12.6f") for pair in pairs for norm in pair]
        text += "\n" + " | ".join([str(N).rjust(8), *numbers])
    return text
