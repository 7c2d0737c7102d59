"""Computes a number of a billion digits, in one uninterruptible operation, as the module is run."""
# says: cell 3: it was not done after 1 seconds of computing or 3 seconds of waiting

number = 7 ** (7**11)
