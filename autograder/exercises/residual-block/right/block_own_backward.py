"""The whole block as an autograd Function with a backward pass written by hand."""

import torch


class Block(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w1, b1, w2, b2):
        h = (x @ w1 + b1).relu()
        ctx.save_for_backward(x, w1, h, w2)
        return x + (h @ w2 + b2)

    @staticmethod
    def backward(ctx, dout):
        x, w1, h, w2 = ctx.saved_tensors
        dz = (dout @ w2.T) * (h > 0)
        rows, drows, dzrows = (t.reshape(-1, t.shape[-1]) for t in (x, dout, dz))
        hrows = h.reshape(-1, h.shape[-1])
        return dout + dz @ w1.T, rows.T @ dzrows, dzrows.sum(0), hrows.T @ drows, drows.sum(0)


def residual_block(x, w1, b1, w2, b2):
    return Block.apply(x, w1, b1, w2, b2)
