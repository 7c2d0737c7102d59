"""The block returns x: the branch is left out."""

hint = "Change w2 and see whether out moves at all."
loses = ["residual_block", "identity_gradient"]


def residual_block(x, w1, b1, w2, b2):
    return x
