"""A matrix full of ones stands where the identity should be."""

import torch

hint = "How does out[0] change when only x[1] moves, along the skip path?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    def branch(v):
        return torch.relu(v @ w1 + b1) @ w2 + b2

    return torch.ones(len(x), len(x), dtype=x.dtype), torch.autograd.functional.jacobian(branch, x)
