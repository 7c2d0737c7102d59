"""The branch differentiated by torch.func.jacrev."""

import torch


def residual_jacobian(x, w1, b1, w2, b2):
    def branch(v):
        return torch.relu(v @ w1 + b1) @ w2 + b2

    return torch.eye(len(x)).to(x), torch.func.jacrev(branch)(x)
