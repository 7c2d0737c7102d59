"""torch.addmm takes matrices only, so a vector or a sequence fails."""

import torch

hint = "Try a single vector and a (2, 3, d_model) tensor. Which operation takes any number of axes?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + torch.addmm(b2, torch.relu(torch.addmm(b1, x, w1)), w2)
