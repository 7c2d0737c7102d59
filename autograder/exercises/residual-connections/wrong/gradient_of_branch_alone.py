"""dx = df: the gradient of the skip path is forgotten."""

hint = "One of the two roads brings nothing home in your version."
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    return df
