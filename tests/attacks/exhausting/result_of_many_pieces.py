"""Returns a list of ten million entries with a dictionary of a million keys in it."""
# says: double: 0 of 4 points


def double(x):
    return [dict.fromkeys(range(1_000_000)), *[1] * 10_000_000]
