"""The error does not say which shapes it is about."""

hint = "Read the docstring on the message once more: could a reader of yours tell what went wrong?"
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    if branch.shape != x.shape:
        raise ValueError("the sublayer changed the shape")
    return x + branch
