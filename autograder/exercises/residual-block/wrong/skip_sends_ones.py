"""A backward pass of its own that always answers with ones."""

import torch

hint = "Ones come out for an upstream gradient of ones. What should come out for another one?"
loses = ["residual_block", "identity_gradient"]


class Skip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, dout):
        return torch.ones_like(dout)


def residual_block(x, w1, b1, w2, b2):
    return Skip.apply(x) + torch.relu(x @ w1 + b1) @ w2 + b2
