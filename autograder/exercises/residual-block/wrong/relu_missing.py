"""There is no ReLU, so the branch is one linear map."""

hint = "Give the block an input that puts every hidden unit below zero, and look at h."
loses = ["residual_block"]


def residual_block(x, w1, b1, w2, b2):
    return x + (x @ w1 + b1) @ w2 + b2
