"""The sublayer is called once for the check and once more for the sum."""

hint = "Keep the sublayer's result in a variable. A real sublayer is expensive, and some are random."
loses = ["residual"]


def residual(x, sublayer):
    if sublayer(x).shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, the sublayer's result {sublayer(x).shape}")
    return x + sublayer(x)
