"""The skip path is multiplied with the branch instead of added to it, like a gate."""

hint = "A sublayer that has nothing to say should leave the input as it is. What does yours do to it?"
loses = ["residual"]


def residual(x, sublayer):
    out = sublayer(x)
    if out.shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, the sublayer's result {out.shape}")
    return x * out
