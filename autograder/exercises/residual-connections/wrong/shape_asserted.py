"""The shapes are compared by an assert, which raises another error and names no shapes."""

hint = "Which exception does the docstring ask for, and what should its message name?"
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    assert branch.shape == x.shape, "shapes differ"
    return x + branch
