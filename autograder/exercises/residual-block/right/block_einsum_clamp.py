"""Products as einsum, the ReLU as clamp, the branch added to the skip from the left."""

import torch


def residual_block(x, w1, b1, w2, b2):
    z = torch.einsum("...i,ij->...j", x, w1) + b1
    h = z.clamp(min=0)
    return torch.einsum("...i,ij->...j", h, w2) + b2 + x
