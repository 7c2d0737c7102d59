"""The branch is added into x itself with +=, which changes the caller's array."""

hint = "What does += do to an array that somebody else holds as well?"
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    if branch.shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, the sublayer's result {branch.shape}")
    x += branch
    return x
