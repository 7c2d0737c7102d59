"""Mean and root are treated as constants, so only the diagonal is left."""

import numpy as np

hint = "Move one input a little: do the other outputs stand still?"
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    s = np.sqrt(x.var() + eps)
    return np.diag(gain / s)
