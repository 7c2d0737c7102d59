"""Only the last axis is compared, so that a lost or an added axis goes unnoticed."""

hint = "Two shapes can agree in their last number and still be different."
loses = ["residual"]


def residual(x, sublayer):
    branch = sublayer(x)
    if branch.shape[-1] != x.shape[-1]:
        raise ValueError(f"x has shape {x.shape}, the sublayer's result {branch.shape}")
    return x + branch
