"""Raises an exception with a message of 100 megabytes, for the report and every page made of it."""
# says: error: ValueError: xxxxxxxx


def double(x):
    raise ValueError("x" * 100_000_000)
