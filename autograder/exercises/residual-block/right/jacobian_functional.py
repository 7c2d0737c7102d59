"""Both pieces through torch.autograd.functional.jacobian, the identity too."""

from torch.autograd.functional import jacobian


def residual_jacobian(x, w1, b1, w2, b2):
    return jacobian(lambda v: v, x), jacobian(lambda v: (v @ w1 + b1).relu() @ w2 + b2, x)
