"""torch.func.grad of a recursive function."""

import torch


def stack_input_gradient(x, params, residual):
    def total(h, blocks):
        if not blocks:
            return h.sum()
        (w1, b1, w2, b2), *rest = blocks
        branch = torch.clamp(h @ w1 + b1, min=0) @ w2 + b2
        return total(branch + h * int(residual), rest)

    gradient = torch.func.grad(total)(x, params)
    return torch.linalg.vector_norm(gradient).item()
