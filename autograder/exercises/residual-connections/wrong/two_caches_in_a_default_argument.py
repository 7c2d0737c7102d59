"""Both caches go into a default argument, the same list in all calls."""

hint = "When is the default value of an argument made: in every call, or once?"
loses = ["exercise_2"]


def two_residual_forward(x, W_f, W_g, caches=[]):  # noqa: B006
    h, cache_f = residual_forward(x, W_f)
    out, cache_g = residual_forward(h, W_g)
    caches[:] = [cache_f, cache_g]
    return out, caches
