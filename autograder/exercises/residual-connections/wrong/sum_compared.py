"""The shape of the sum is compared with that of x, so a result that is smaller passes."""

hint = "Not every sum of two shapes that NumPy accepts is meant. Compare the shapes before you add."
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    out = x + branch
    if out.shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, but the sublayer returned shape {branch.shape}")
    return out
