"""dx = dout: only the skip path carries a gradient."""

hint = "One of the two roads brings nothing home in your version."
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    return dout
