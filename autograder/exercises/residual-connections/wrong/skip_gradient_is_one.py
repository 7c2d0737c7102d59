"""The local derivative 1 is taken for the gradient itself: dx = 1 + df."""

hint = "A local derivative still has to be multiplied by what comes from above."
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    return 1.0 + df
