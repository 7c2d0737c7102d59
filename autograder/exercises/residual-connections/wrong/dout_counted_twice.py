"""dout is counted twice, once for the skip path and once more beside df."""

hint = "Count the roads: how often does dout arrive unchanged?"
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    return 2 * dout + df
