"""The branch is added into dout where dout is not needed any more."""

import numpy as np

hint = "Look at dout after the call. What if both roads bring the same array?"
loses = ["residual_gradient"]


def residual_gradient(dout, df):
    return np.add(dout, df, out=dout)
