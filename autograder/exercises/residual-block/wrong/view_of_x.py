"""view() instead of reshape(): a transposed x raises an error."""

import torch

hint = "What does a tensor need for view(), and does a transposed one have it?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    flat = x.view(-1, x.shape[-1])
    return (flat + torch.relu(flat @ w1 + b1) @ w2 + b2).view(x.shape)
