"""Returns an integer of a million digits, which takes for ever to be printed or read."""
# says: double: 0 of 4 points


def double(x):
    return 1 << 3_000_000
