"""One matrix, the sum, instead of the two pieces."""

import torch

hint = "The two pieces are asked for separately: return a pair."
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    def branch(v):
        return torch.relu(v @ w1 + b1) @ w2 + b2

    return torch.eye(x.shape[0], dtype=x.dtype) + torch.autograd.functional.jacobian(branch, x)
