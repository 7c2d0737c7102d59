"""The block makes its inputs require gradients."""

import torch

hint = "Look at x.requires_grad before and after the call."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    for leaf in (x, w1, b1, w2, b2):
        leaf.requires_grad_()
    return x + torch.relu(x @ w1 + b1) @ w2 + b2
