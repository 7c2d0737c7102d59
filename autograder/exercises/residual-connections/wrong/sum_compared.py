"""The shape of the sum is compared with that of x, so a result that is smaller passes."""

hint = "NumPy may have stretched the branch before you look. What has the shape of x then?"
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    out = x + branch
    if out.shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, but the sublayer returned shape {branch.shape}")
    return out
