"""The two pieces are right and come in the wrong order."""

import torch

hint = "The docstring says which piece comes first."
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    def branch(v):
        return torch.relu(v @ w1 + b1) @ w2 + b2

    return torch.autograd.functional.jacobian(branch, x), torch.eye(x.shape[0], dtype=x.dtype)
