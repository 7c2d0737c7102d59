"""A ReLU follows the addition, as in the first residual networks for images."""

import torch

hint = "Your out has no negative entry. Nothing may stand between the addition and the output."
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    return torch.relu(x + torch.relu(x @ w1 + b1) @ w2 + b2)
