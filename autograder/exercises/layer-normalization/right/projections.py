"""The way back as two projections: take out the constant part, then the part along the normalized row."""

import numpy as np


def layernorm_forward(x, gain, bias, eps=1e-5):
    C = gain.size
    center = np.identity(C) - np.full((C, C), 1 / C)
    centered = x @ center
    s = np.hypot(np.linalg.norm(centered, axis=-1, keepdims=True) / np.sqrt(C), np.sqrt(eps))
    return centered / s * gain + bias, (center, centered, s, gain)


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    center = np.identity(C) - np.full((C, C), 1 / C)
    centered = center @ x
    along = np.outer(centered, centered) / (centered @ centered + C * eps)
    return gain.reshape(-1, 1) * ((np.identity(C) - along) @ center) / np.sqrt(centered @ centered / C + eps)


def layernorm_backward(dout, cache):
    center, centered, s, gain = cache
    C = gain.size
    d = (dout * gain) @ center / s
    along = np.matmul(d[..., None, :], centered[..., :, None])[..., 0] / (C * s**2)
    dgain = np.tensordot(dout, centered / s, axes=(range(dout.ndim - 1),) * 2)
    return d - along * centered, np.diagonal(dgain).copy(), np.ones(dout.size // C) @ dout.reshape(-1, C)
