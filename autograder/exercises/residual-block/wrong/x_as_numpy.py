"""The ReLU is done in NumPy, which cuts the first layer off from autograd."""

import numpy as np
import torch

hint = "Autograd follows torch operations only. Where does your code leave torch?"
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    z = (x @ w1 + b1).detach().numpy()
    h = torch.from_numpy(np.maximum(z, 0))
    return x + h @ w2 + b2
