"""A vector-Jacobian product with all ones, through as many blocks as there are."""

import torch


def stack_input_gradient(x, params, residual):
    def run(h):
        for w1, b1, w2, b2 in params:
            h = torch.relu(h @ w1 + b1) @ w2 + b2 + (h if residual else 0)
        return h.clone()

    out, pull = torch.func.vjp(run, x)
    (gradient,) = pull(torch.ones_like(out))
    return float(gradient.pow(2).sum().sqrt())
