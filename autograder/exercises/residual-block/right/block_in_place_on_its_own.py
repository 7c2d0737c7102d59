"""In-place operations, but only on tensors that the function made itself."""


def residual_block(x, w1, b1, w2, b2):
    h = x @ w1
    h += b1
    out = h.relu_() @ w2
    out += b2
    out += x
    return out
