"""The ReLU as a maximum with zero, and the skip added before the last bias."""

import torch


def residual_block(x, w1, b1, w2, b2):
    z = torch.matmul(x, w1) + b1
    h = torch.maximum(z, torch.zeros_like(z))
    return (x + torch.matmul(h, w2)) + b2
