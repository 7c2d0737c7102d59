"""The weights are copied into new tensors, which autograd does not connect with the old."""

import torch

hint = "Use the tensors you are given: a copy made by torch.tensor(...) has no history."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    w1, w2 = torch.tensor(w1.tolist(), dtype=x.dtype), torch.tensor(w2.tolist(), dtype=x.dtype)
    return x + torch.relu(x @ w1 + b1) @ w2 + b2
