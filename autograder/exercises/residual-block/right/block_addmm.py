"""All batch axes folded into one, then addmm, then unfolded again."""

import torch


def residual_block(x, w1, b1, w2, b2):
    rows = x.reshape(-1, x.shape[-1])
    h = torch.addmm(b1, rows, w1).relu()
    return (rows + torch.addmm(b2, h, w2)).reshape(x.shape)
