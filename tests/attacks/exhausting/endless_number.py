"""Computes a number of a billion digits, in one uninterruptible operation, as the module is run."""
# says: cell 3: it computed for more than 2 seconds

number = 7 ** (7**11)
