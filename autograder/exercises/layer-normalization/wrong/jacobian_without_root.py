"""The derivative of the root is left out."""

import numpy as np

hint = "What happens to the output when the row gets louder? Ask your Jacobian the same question."
loses = ["jacobian"]


def layernorm_jacobian(x, gain, eps=1e-5):
    C = len(x)
    s = np.sqrt(x.var() + eps)
    return gain[:, None] * (np.eye(C) - 1 / C) / s
