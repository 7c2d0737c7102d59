"""Prints one line of 50 megabytes and raises an error of another, for every viewer that breaks lines."""
# says: the rest is left out

print("x" * 50_000_000)


def double(x):
    raise ValueError("y" * 5_000_000)
