"""Says that it is not written yet, and so asks to be excused wherever other tasks need it."""
# says: double: 0 of 4 points (missing)


def double(x):
    raise NotImplementedError("not written yet")
