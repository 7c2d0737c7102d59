"""Puts a link that the terminal can follow behind an innocent word of an error."""
# says: the documentation


def double(x):
    raise ValueError("see \x1b]8;;https://localhost/evil\x1b\\the documentation\x1b]8;;\x1b\\")
