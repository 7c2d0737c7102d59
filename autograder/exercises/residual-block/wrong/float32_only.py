"""Everything is cast to float32, whatever came in."""

import torch

hint = "Which dtype has out for a float64 input? Let the inputs decide."
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    x, w1, b1, w2, b2 = (t.float() for t in (x, w1, b1, w2, b2))
    return x + torch.relu(x @ w1 + b1) @ w2 + b2
