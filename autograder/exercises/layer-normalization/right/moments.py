"""Statistics from sums and sums of squares on a matrix of rows, and a backward pass with C pulled out."""

import numpy as np


def layernorm_forward(x, gain, bias, eps=1e-5):
    rows = x.reshape(-1, x.shape[-1])
    C = rows.shape[1]
    mean = rows.sum(axis=1) / C
    variance = np.sum(rows * rows, axis=1) / C - mean * mean
    scale = (variance + eps) ** -0.5
    normalized = (rows - mean[:, np.newaxis]) * scale[:, np.newaxis]
    out = normalized * gain + bias
    return out.reshape(x.shape), {"normalized": normalized, "scale": scale, "gain": gain}


def layernorm_backward(dout, cache):
    normalized, scale = cache["normalized"], cache["scale"]
    rows = dout.reshape(normalized.shape)
    C = rows.shape[1]
    d = cache["gain"] * rows
    bracket = C * d - d.sum(axis=1, keepdims=True) - normalized * np.sum(d * normalized, axis=1, keepdims=True)
    dx = scale[:, None] * bracket / C
    return dx.reshape(dout.shape), np.sum(rows * normalized, axis=0), np.sum(rows, axis=0)


def stack_norms(x, Ws, prenorm):
    norm = np.linalg.norm
    C = x.shape[-1]

    def climb(x, layer):
        if layer == len(Ws):
            return norm(x.ravel()), np.ones(x.shape)
        if prenorm:
            out, cache = prenorm_forward(x, Ws[layer], np.full(C, 1.0), np.full(C, 0.0))
            stream, dout = climb(out, layer + 1)
            return stream, prenorm_backward(dout, cache)[0]
        out, cache = residual_forward(x, Ws[layer])
        stream, dout = climb(out, layer + 1)
        return stream, residual_backward(dout, cache)

    stream, dx = climb(x, 0)
    return stream, norm(dx.ravel())
