"""The second piece is the Jacobian of the whole block, so the identity counts twice."""

import torch

hint = "Put the branch to sleep: what should the second piece be then?"
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    def block(v):
        return v + torch.relu(v @ w1 + b1) @ w2 + b2

    return torch.eye(x.shape[0], dtype=x.dtype), torch.autograd.functional.jacobian(block, x)
