"""torch.eye without a dtype is float32, also for float64 inputs."""

import torch

hint = "Print the dtype of both pieces for a float64 x."
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    def branch(v):
        return torch.relu(v @ w1 + b1) @ w2 + b2

    return torch.eye(len(x)), torch.autograd.functional.jacobian(branch, x)
