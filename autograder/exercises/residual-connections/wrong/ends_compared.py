"""Only the number of axes, the batch and the channels are compared."""

hint = "Which axes of a (B, T, C) array do you compare, and what if the sublayer averages over time?"
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    if branch.ndim != x.ndim or (branch.shape[0], branch.shape[-1]) != (x.shape[0], x.shape[-1]):
        raise ValueError(f"x has shape {x.shape}, but the sublayer returned shape {branch.shape}")
    return x + branch
