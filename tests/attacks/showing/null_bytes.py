"""Writes null bytes and other controls into a printed text, a message and a name, where texts of C would end."""
# says: error: ValueError: ab

print("a\x00b\x01\x02\x1f\x7f")


def double(x):
    raise ValueError("a\x00b\x07\x00")
