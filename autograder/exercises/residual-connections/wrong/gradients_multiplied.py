"""The gradients of the two roads are multiplied, as if the roads followed one another."""

hint = "Steps along one road multiply. What do different roads do?"
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    return dout * (1.0 + df)
