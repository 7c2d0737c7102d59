"""The ReLU as a product with a mask of zeros and ones, the skip as a copy."""


def residual_block(x, w1, b1, w2, b2):
    z = x @ w1 + b1
    branch = (z * (z > 0)) @ w2 + b2
    return x.clone() + branch
