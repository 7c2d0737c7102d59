"""df is added into dout with +=, which changes the caller's array."""

hint = "Look at dout after the call. What if both roads bring the same array?"
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    dout += df
    return dout
