"""The two are added as they come, and NumPy stretches shapes that do not fit."""

hint = "Not every sum of two shapes that NumPy accepts is meant. Compare the shapes before you add."
loses = ["residual"]


def residual(x, sublayer):
    return x + sublayer(x)
