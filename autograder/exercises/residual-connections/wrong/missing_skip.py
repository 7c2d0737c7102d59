"""The skip path is left out: the block returns f(x) alone."""

hint = "Where in your result is the input itself? Try a sublayer that returns zeros."
loses = ["residual"]


def residual(x, sublayer):
    out = sublayer(x)
    if out.shape != x.shape:
        raise ValueError(f"x has shape {x.shape}, the sublayer's result {out.shape}")
    return out
