"""Turns the direction of writing in a printed text, a function's name and an error, so that they read otherwise."""
# says: error: ValueError:

print("\u202e4 fo 4\u202c \u2066evil\u2069 \u200f")


def double(x):
    raise ValueError("\u202estniop 4 fo 4\u202c \u2067evil\u2069 \u200e\u061c")
