"""Layers are objects that hold their own state and serve as the cache, for the block and for the stack."""

import numpy as np


class Norm:
    def __init__(self, gain, bias, eps=1e-5):
        self.gain, self.bias, self.eps = gain, bias, eps

    def forward(self, x):
        self.mean = x.mean(axis=-1, keepdims=True)
        self.s = np.sqrt(x.var(axis=-1, keepdims=True) + self.eps)
        self.x = np.array(x)
        return self.gain * self.normalized + self.bias

    @property
    def normalized(self):
        return (self.x - self.mean) / self.s

    def backward(self, dout):
        lead = tuple(range(dout.ndim - 1))
        d = dout * self.gain
        n = self.normalized
        share = np.einsum("...i,...i->...", d, n)[..., None] / d.shape[-1]
        inner = d - n * share
        dx = (inner - inner.mean(axis=-1, keepdims=True)) / self.s
        return dx, np.sum(dout * n, axis=lead), np.sum(dout, axis=lead)


class Block:
    def __init__(self, W, norm=None):
        self.W, self.norm = W, norm

    def forward(self, x):
        self.a = np.tanh((self.norm.forward(x) if self.norm else x) @ self.W)
        return x + self.a

    def backward(self, dout):
        d = np.matmul(dout * (1 + self.a) * (1 - self.a), np.transpose(self.W))
        if not self.norm:
            return dout + d, None, None
        dx, *rest = self.norm.backward(d)
        return dx + dout, *rest


def layernorm_forward(x, gain, bias, eps=1e-5):
    layer = Norm(gain, bias, eps)
    return layer.forward(x), layer


def layernorm_backward(dout, cache):
    return cache.backward(dout)


def prenorm_forward(x, W, gain, bias):
    block = Block(W, Norm(gain, bias))
    return block.forward(x), block


def prenorm_backward(dout, cache):
    return cache.backward(dout)


def stack_norms(x, Ws, prenorm):
    C = x.shape[-1]
    blocks = [Block(W, Norm(np.ones(C), np.zeros(C)) if prenorm else None) for W in Ws]
    out = x
    for block in blocks:
        out = block.forward(out)
    dx = np.ones(x.shape)
    for block in blocks[::-1]:
        dx, _, _ = block.backward(dx)
    return np.sqrt((out**2).sum()), np.sqrt((dx**2).sum())
