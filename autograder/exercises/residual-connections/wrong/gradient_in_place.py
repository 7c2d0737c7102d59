"""df is added into dout with +=, which changes the caller's array."""

hint = "Somebody else may still need dout. Does your function leave it alone?"
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    dout += df
    return dout
