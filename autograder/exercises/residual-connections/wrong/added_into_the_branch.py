"""x is added into the sublayer's result, which may be x itself."""

hint = "Try a sublayer that returns its argument, and look at x after the call."
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    if branch.shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, but the sublayer returned shape {branch.shape}")
    branch += x
    return branch
