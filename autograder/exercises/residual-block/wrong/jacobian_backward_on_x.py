"""backward() on the caller's x: its .grad stays behind, and the next call starts from it."""

import torch

hint = "Call it twice with the same x, and print x.grad in between."
loses = ["jacobian"]


def residual_jacobian(x, w1, b1, w2, b2):
    x.requires_grad_()
    branch = torch.relu(x @ w1 + b1) @ w2 + b2
    rows, last = [], torch.zeros_like(x)
    for entry in branch:
        entry.backward(retain_graph=True)
        rows.append(x.grad - last)
        last = x.grad.clone()
    return torch.eye(len(x), dtype=x.dtype), torch.stack(rows)
