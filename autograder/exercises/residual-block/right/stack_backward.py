"""The classic way: a leaf, backward() and .grad."""


def stack_input_gradient(x, params, residual):
    leaf = x.detach().clone()
    leaf.requires_grad = True
    h = leaf
    for w1, b1, w2, b2 in params:
        branch = (h @ w1 + b1).relu() @ w2 + b2
        h = h * float(residual) + branch
    h.sum().backward()
    return float((leaf.grad**2).sum() ** 0.5)
