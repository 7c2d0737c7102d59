"""Both layers through torch.nn.functional.linear, whose weights are the other way round."""

import torch.nn.functional as F


def residual_block(x, w1, b1, w2, b2):
    return x + F.linear(F.relu(F.linear(x, w1.T, b1)), w2.T, b2)
