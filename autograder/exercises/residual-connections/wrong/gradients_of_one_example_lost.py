"""A batch of one is taken for a single row and its dx loses the axis."""

hint = "What shape has dx for a batch of one?"
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    total = dout + df
    return total[0] if total.ndim > 1 and len(total) == 1 else total
