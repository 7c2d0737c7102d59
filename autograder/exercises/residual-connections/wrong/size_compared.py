"""Only the sizes are compared, not the shapes."""

hint = "An array of shape (1, 3, 5) has as many entries as one of shape (3, 5). What comes out of their sum?"
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    if branch.size != x.size:
        raise ValueError(f"x has shape {x.shape}, but the sublayer returned shape {branch.shape}")
    return x + branch
