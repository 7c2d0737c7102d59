"""x.data += branch keeps autograd quiet, but overwrites the caller's tensor all the same."""

import torch

hint = "Look at x after the call. A warning that goes away is not always a mistake that goes away."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    x.data += torch.relu(x @ w1 + b1) @ w2 + b2
    return x
